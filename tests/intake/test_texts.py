"""What is found in logs, issues and commands: `texts/*.txt` has texts and what comes of them."""

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reducer.intake import read_crash
from reducer.intake.commands import releases_in
from reducer.intake.stages import NotOnePipeline, merged, pipeline_of_shell
from tests.support.texts import answered, paragraphs

FILES = sorted((Path(__file__).parent / "texts").glob("*.txt"))


@pytest.mark.parametrize("paragraph", [each for file in FILES for each in paragraphs(file)])
def test_what_comes_of_a_text(paragraph: str) -> None:
    assert answered(paragraph, QUESTIONS) == paragraph


def _crash(text: str, tool: str = "") -> Iterator[str]:
    """Commands, what is missing or left out, and the program; `tool` is the given command."""
    found = read_crash(text, Path("/nowhere/crash.log"), [tool] if tool else [])
    yield from (f"command: {shlex.join(words)}" for words in found.commands)
    for name, words in (
        ("entry", found.entry),
        ("missing", found.missing),
        ("left out", ", ".join(found.left_out)),
    ):
        if words:
            yield f"{name}: {words}"
    before, program, _ = text.partition(found.text or "\0")
    if program:
        first = before.count("\n") + 1
        yield f"program: lines {first} to {first + program.count(chr(10)) - 1}"
    else:
        yield from (f"  {line}" for line in found.text.splitlines())


def _merged(text: str) -> str:
    line = text.rstrip("\n")
    try:
        found = merged([line] if "|" in line else line.split())
    except NotOnePipeline as error:
        return f"not one pipeline: {error}"
    return shlex.join(found.words) + (f", enters {found.entry}" if found.entry else "")


QUESTIONS: dict[str, Callable[..., str | list[str]]] = {
    "crash": lambda text, tool="": list(_crash(text, tool)),
    "releases": lambda text: releases_in(text),
    "merged": _merged,
    "of a shell": lambda text: shlex.join(pipeline_of_shell(shlex.split(text), runs=True)),
}
