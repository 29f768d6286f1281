from pathlib import Path

import click

from reducer.cli.app import main
from reducer.cli.reference import reference

FILE = Path(__file__).parents[2] / "docs" / "reference.md"


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_text() == reference(), "python -m reducer.cli.reference > docs/reference.md"


def test_every_command_and_option_is_there() -> None:
    text = reference()
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        section = text.partition(f"\n## mlir-reducer {name}\n")[2].partition("\n## ")[0]
        assert section, name
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or option in section, (name, option)


def test_markup_in_help_is_text_but_examples_are_code() -> None:
    text = reference()
    assert "```\nmlir-reducer reduce bug.mlir -- mlir-opt --canonicalize {}\n" in text
    assert "\b" not in text and "\x08" not in text
