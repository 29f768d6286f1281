"""The commands, links and files that the documentation mentions exist."""

import re
import shlex
from pathlib import Path

import click
import pytest

from reducer.cli.app import main

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = re.compile(r"settles\.py|.*replace_by_arguments\.py")
"""Files that the documentation asks the reader to write."""

_SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[list[str]]:
    """The words of every `mlir-reducer …` command in shell blocks."""
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


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page, without code blocks."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in titles)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", page.read_text()):
        linked = page.parent / target if target else page
        assert linked.exists(), (page.name, target)
        if anchor:
            assert anchor in anchors(linked), (page.name, target, anchor)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_ours_exist(page: Path) -> None:
    """A page may omit the start of a path: `search/sweep.py`, or `sweep.py`."""
    folders = [ROOT / name for name in ("benchmarks", "oracles", "reducer", "tests")]
    ours = [path for folder in folders for path in folder.rglob("*.py")]
    ends = {"/".join(path.parts[-n:]) for path in ours for n in range(1, len(path.parts))}
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for name in re.findall(r"`([\w/]+\.py)`", text):
        assert name in ends or EXAMPLES.fullmatch(name), (page.name, name)
