"""The command of a report, which runs on any machine in the folder of the report.

Files that the command refers to are included, except programs: they are useless without their
libraries, and readers of the report have their own.
"""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from oracles import Command, Oracle
from oracles.base import capabilities_of
from oracles.compilers.command import existing, path_spans, resolve_binary
from oracles.compilers.compiler import DISCARD
from oracles.evidence import PROGRAM
from reducer.report.facts import FILES, OURSELVES, CompilerInfo, repro_name

_NATIVE = b"\x7fELF"
_PYTHON = re.compile(r"python:(.+):\w+(?:@(.+))?")  # --reference python:FILE:FUNCTION@PYTHON


def portable_words(oracle: Oracle) -> tuple[tuple[str, ...], dict[str, Path]]:
    """The command on `repro.mlir` with paths inside the report, and the files to include."""
    if (script := capabilities_of(oracle).script) is not None:
        name = script.name
        return (f"./{FILES}/{name}", *oracle.display(repro_name(oracle))[1:]), {name: script}
    results = capabilities_of(oracle).results
    if results and results.steps("", "") and (compiler := capabilities_of(oracle).compiler):
        command, files = bundled_command(compiler.command)
        return tuple(command.words(repro_name(oracle), PROGRAM)), files
    shown = oracle.display(repro_name(oracle))
    if oracle.command is None or shown[0] == OURSELVES:
        command, files = bundled_command(Command(tuple(_with_release(shown, oracle))))
        return command.argv, files
    compiler = capabilities_of(oracle).compiler
    command, files = bundled_command(compiler.printed if compiler else oracle.command)
    return tuple(command.words(repro_name(oracle), DISCARD)), files


def _with_release(words: Sequence[str], oracle: Oracle) -> list[str]:
    """The words with `--iree` and the release of the compiler under test, if it is known."""
    program = program_of(oracle)
    release = CompilerInfo.read(program, "").package if program else ""
    if not release or "--iree" in words:
        return list(words)
    at = words.index(repro_name(oracle)) + 1
    return [*words[:at], "--iree", release, *words[at:]]


def own_words(oracle: Oracle) -> tuple[tuple[str, ...], dict[str, Path]]:
    """The command under test, which needs nothing else to show the failure."""
    assert oracle.command is not None
    command, files = bundled_command(oracle.command)
    return tuple(command.words(repro_name(oracle))), files


def bundled_command(command: Command) -> tuple[Command, dict[str, Path]]:
    """The command with its files moved to `files/`, and their present paths by name."""
    files: dict[str, Path] = {}
    words = [command.argv[0]]
    directory = command.directory or Path.cwd()
    programs = _programs(command.argv)
    for index, word in enumerate(command.argv[1:], 1):
        if index in programs:
            words.append(Path(word).name)
            continue
        for span in reversed(list(_spans(word, directory))):
            path = directory / word[span]
            if is_program(path):
                word = f"{word[: span.start]}{path.name}{word[span.stop :]}"
            elif path.is_file():
                path = path.resolve()
                name = portable_name(path, files)
                files[name] = path
                word = f"{word[: span.start]}{FILES}/{name}{word[span.stop :]}"
        words.append(word)
    return Command(tuple(words), launcher=command.launcher), files


def other_programs(oracle: Oracle) -> tuple[Path, ...]:
    """The programs that the command's arguments name: what a debugger runs, a linker in a flag."""
    command = oracle.command
    if command is None:
        return ()
    directory = command.directory or Path.cwd()
    paths = (
        directory / word[span] for word in command.argv[1:] for span in _spans(word, directory)
    )
    return tuple(path for path in paths if is_program(path))


def is_program(path: Path) -> bool:
    """Whether a file is a native program, and no library such as a plugin, or what starts one."""
    try:
        if not path.is_file() or not os.access(path, os.X_OK) or ".so" in path.name:
            return False
        with path.open("rb") as file:
            native = file.read(len(_NATIVE)) == _NATIVE
    except (OSError, ValueError):  # it cannot be a path
        return False
    return native or resolve_binary(path) != path


def _programs(argv: Sequence[str]) -> set[int]:
    """The indices of the arguments of `mlir-reducer` that are programs: the compiler.

    A script that prints a number is none: it is what says that something is wrong.
    """
    if argv[0] != OURSELVES or ("--metric", "script") in pairwise(argv):
        return set()
    end = argv.index("--") if "--" in argv else len(argv)
    return {end + 1}


def _spans(word: str, directory: Path) -> Iterator[slice]:
    """The parts of a word that are existing paths."""
    if match := _PYTHON.fullmatch(word):
        for group in (1, 2):
            if match[group] and existing(match[group], directory) is not None:
                yield slice(*match.span(group))
    else:
        yield from path_spans(word, directory)


def portable_name(path: Path, taken: dict[str, Path]) -> str:
    """A portable file name that is unique in the report; the same file keeps its name."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in path.name)
    plain = plain.lstrip("-.") or "file"
    name, number = plain, 1
    while name in taken and taken[name] != path:
        number += 1
        name = f"{number}-{plain}"
    return name


def program_of(oracle: Oracle) -> Path | None:
    """The executable under test, for any kind of oracle; None if unknown."""
    return capabilities_of(oracle).executable
