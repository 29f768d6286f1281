"""Files that a command names besides its input: they go along, or the command fails elsewhere.

Programs do not: one without its libraries is of no use, and whoever reads the report has their own.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from oracles import Command
from oracles.command import INPUT
from reducer.bundle.check import FILES, OURSELVES

_PYTHON = re.compile(r"(python:)(.+)(:\w+)")  # --reference python:FILE:FUNCTION


def carried(command: Command) -> tuple[Command, dict[str, Path]]:
    """The command with such files in `files/`, and where each of them is now, by its name there."""
    found: dict[str, Path] = {}
    words = [command.argv[0]]
    programs = _programs(command.argv)
    for index, word in enumerate(command.argv[1:], 1):
        if index in programs:
            words.append(Path(word).name)
            continue
        before, value, after = _split(word)
        path = _file(value, command.directory or Path.cwd())
        if path is None:
            words.append(word)
        else:
            name = _name(path, found)
            found[name] = path
            words.append(f"{before}{FILES}/{name}{after}")
    return Command(tuple(words)), found


def _programs(argv: Sequence[str]) -> set[int]:
    """Where words that `mlir-reducer` is told name a program: the compiler, an interpreter."""
    if argv[0] != OURSELVES:
        return set()
    end = argv.index("--") if "--" in argv else len(argv)
    return {end + 1, *(index + 1 for index in range(end) if argv[index] == "--python")}


def _split(word: str) -> tuple[str, str, str]:
    """What of a word may be a path, between what is around it."""
    if match := _PYTHON.fullmatch(word):
        return match[1], match[2], match[3]
    if word.startswith("-"):
        flag, equals, value = word.partition("=")
        return flag + equals, value, ""
    return "", word, ""


def _file(value: str, directory: Path) -> Path | None:
    if not value or INPUT in value or "\0" in value:
        return None
    path = directory / value
    try:
        return path.resolve() if path.is_file() else None
    except OSError:  # too long to be a path
        return None


def _name(path: Path, taken: dict[str, Path]) -> str:
    """A name that is safe anywhere, as plain as can be; the same file keeps its name."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in path.name)
    plain = plain.lstrip("-.") or "file"
    name, number = plain, 1
    while name in taken and taken[name] != path:
        number += 1
        name = f"{number}-{plain}"
    return name
