import click
from click.testing import CliRunner

from reducer.cli.app import main


def test_all_help_has_every_command_and_option() -> None:
    done = CliRunner().invoke(main, ["help", "--all"], prog_name="mlir-reducer")
    assert done.exit_code == 0
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        section = done.output.partition(f"Usage: mlir-reducer {name} ")[2]
        section = section.partition("\nUsage: mlir-reducer ")[0]
        assert section, name
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or option in section, (name, option)
    assert "Usage: mlir-reducer buckets show " in done.output
    assert max(map(len, done.output.splitlines())) <= 100
