"""What the documents tell people to type exists, and so do the pages that they link to."""

import re
import shlex
from pathlib import Path

import click
import pytest

from reducer.cli.app import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[list[str]]:
    """The words of every `mlir-reducer …` in blocks for a shell."""
    found = []
    for block in _SHELL.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if "mlir-reducer " in line:
                rest = line[line.index("mlir-reducer ") + len("mlir-reducer ") :]
                ours = re.split(r" -- |[|;)#]", rest)[0]
                found.append(shlex.split(ours))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_exist(page: Path) -> None:
    for words in commands(page.read_text()):
        command: click.Command = main
        options = set()
        for word in words:
            if isinstance(command, click.Group) and not word.startswith("-"):
                found = command.get_command(click.Context(command), word)
                assert found is not None, (page.name, words)
                command = found
                options |= {name for p in command.params for name in (*p.opts, *p.secondary_opts)}
            elif word.startswith("--"):
                assert word.partition("=")[0] in options, (page.name, words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(((?!https?:)[^)#\s]+)", page.read_text()):
        assert (page.parent / target).exists(), (page.name, target)
