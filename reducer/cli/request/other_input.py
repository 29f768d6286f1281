"""A command that names another input than the one that is given first."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from oracles import Command
from oracles.compilers.command import INPUT
from reducer.cli.display.console import print_status
from reducer.intake.commands import is_compiler
from reducer.toolchain import ToolchainError, resolve_executable
from reducer.toolchain.flags import typed_flags

_FILE = re.compile(r"[^\s'\"=;|&<>(){},]+")
_SUFFIXES = (".mlir", ".mlirbc")


def input_beside(words: Sequence[str], given: Path | None) -> str:
    """What to say if a command names an input, but not the one that is given; else ''.

    That is added to the command then, which has two inputs, or ignores the one that is reduced.
    """
    command = _without_input(words, given) if given is not None and words else None
    if given is None or command is None:
        return ""
    other = next((one for word in command.argv[1:] for one in _names_in(word, given)), None)
    if other is None:
        return ""
    return f"the command reads {shlex.quote(other)} as well; leave it out, or replace it by {INPUT}"


def in_place_of_missing(words: tuple[str, ...], given: Path | None) -> tuple[str, ...]:
    """The command with `{}` for the one program that it names, if that does not exist.

    It was copied from where the program has another name.
    """
    if given is None or not words or _without_input(words, given) is None:
        return words
    named = [n for n, word in enumerate(words) if n and _names_in(word, given) == [word]]
    named = [n for n in named if not _is_value(words, n)]
    if len(named) != 1 or Path(words[named[0]]).exists():
        return words
    print_status(f"{words[named[0]]} does not exist; compiling {given} instead")
    return (*words[: named[0]], INPUT, *words[named[0] + 1 :])


def _is_value(words: Sequence[str], number: int) -> bool:
    """Whether a word may be the value of the flag before it, as `-o` takes one."""
    before = words[number - 1]
    if not before.startswith("-") or "=" in before:
        return False
    if before in ("-o", "--o") or not is_compiler(words[0]):
        return True
    try:
        flag = typed_flags(resolve_executable(words[0])).get(before.lstrip("-"))
    except ToolchainError:
        return True
    return flag is not None and not flag.optional


def _names_in(word: str, given: Path) -> list[str]:
    """The inputs that a word names, if it is no option: its only one, or those in a script."""
    suffixes = {given.suffix, *_SUFFIXES} - {""}
    names = [] if word.startswith("-") else _FILE.findall(word)
    return [name for name in names if Path(name).suffix in suffixes]


def _without_input(words: Sequence[str], given: Path) -> Command | None:
    """The command, if nothing in it stands for the input, which is added at its end."""
    if any(INPUT in word for word in words) or "-" in words:
        return None
    try:
        named = Command.parse(words, source=given, directory=Path.cwd())
        plain = Command.parse(words, directory=Path.cwd())
    except ValueError:
        return None
    return plain if named == plain else None
