"""From a crash as people report it to commands and an input."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reducer.intake.allowed import FILE
from reducer.intake.commands import TEST_ITSELF, FoundCommand, commands_in, tools_in
from reducer.intake.programs import program_in
from reducer.locate.pipeline import anchored, parse_steps


@dataclass(frozen=True)
class Crash:
    """A crash that a file describes.

    Attributes:
        commands: commands to try in this order, each with `{}` for the input.
        text: the input; '' if it is missing.
        source: where the input was found, for people.
        missing: what was not found, for people; '' if nothing.
        pipeline: what to run on the input if only the program for it is unknown.
        entry: the function that the text runs of what some command makes of the input, if it does.
        left_out: what the text has run besides the commands.
    """

    commands: tuple[tuple[str, ...], ...]
    text: str
    source: str
    missing: str = ""
    pipeline: str = ""
    entry: str | None = None
    left_out: tuple[str, ...] = ()


def read_crash(text: str, path: Path, given: Sequence[str] = ()) -> Crash:
    """The crash in the text of a file. Its commands are as found: `allowed` says what may run.

    Args:
        text: a crash reproducer, the output of a compiler, a CI log, an issue, or a lit test.
        path: the file.
        given: the program and flags to run instead of those that the text names.
    """
    written = commands_in(text)
    program = program_in(text)
    commands = tuple(one.words for one in written)
    if program is not None and program.pipeline:
        tools = [given[0]] if given else [words[0] for words in commands] or tools_in(text)
        commands = tuple(
            words
            for tool in dict.fromkeys(tools)
            for words in with_pipeline(tool, program.pipeline)
        )
        source = f"the crash reproducer in {path.name}"
        missing = "" if commands else _NO_COMMAND
        return Crash(commands, program.text, source, missing, program.pipeline)
    if given:
        commands = ((*given, *(() if any(FILE in word for word in given) else (FILE,))),)
    beside = () if given else tuple(dict.fromkeys(word for one in written for word in one.left_out))
    if any(one.input == TEST_ITSELF for one in written):
        return Crash(commands, text, f"{path.name} itself", left_out=beside)
    for one in written:
        named = _named(one, path.parent)
        if named is not None:
            source = named.read_text(encoding="utf-8", errors="surrogateescape")
            entry = None if given else one.entry
            return Crash(commands, source, str(named), entry=entry, left_out=beside)
    if program is not None:
        missing = "" if commands else _NO_COMMAND
        entry = next((one.entry for one in written if one.entry and not given), None)
        source = f"the program in {path.name}"
        return Crash(commands, program.text, source, missing, entry=entry, left_out=beside)
    names = ", ".join(dict.fromkeys(one.input for one in written if one.input))
    if not commands:
        return Crash((), "", "", _NOTHING)
    what = f"the file {names}, which it names" if names else "the input of its command"
    return Crash(commands, "", "", f"{what} (it may lie next to {path.name})")


_NO_COMMAND = "the compiler that it is for"
_NOTHING = "a command of a compiler, and a program for it"


def with_pipeline(tool: str, pipeline: str) -> tuple[tuple[str, ...], ...]:
    """A program with the pipeline of a reproducer instead of the passes of its command.

    The pipeline is as printed, and with the module that releases up to 15 imply: the release that
    printed it and the program may not be the same.

    >>> [words[1] for words in with_pipeline("mlir-opt", "func.func(cse)")]
    ['--pass-pipeline=func.func(cse)', '--pass-pipeline=builtin.module(func.func(cse))']
    >>> [words[1] for words in with_pipeline("mlir-opt", "builtin.module(cse, canonicalize)")]
    ['--pass-pipeline=builtin.module(cse, canonicalize)']
    """
    spellings = [pipeline]
    with suppress(ValueError):
        with_module = anchored(parse_steps(pipeline)).text
        if "".join(with_module.split()) != "".join(pipeline.split()):
            spellings.append(with_module)
    return tuple((tool, f"--pass-pipeline={one}", FILE) for one in spellings)


def _named(command: FoundCommand, folder: Path) -> Path | None:
    """The file that a command names, there or next to the text that has the command."""
    if not command.input or command.input == TEST_ITSELF:
        return None
    for path in (folder / command.input, folder / Path(command.input).name):
        if path.is_file():
            return path
    return None
