"""Take command and input from a crash log, a crash reproducer, an issue or a lit test."""

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import click

from oracles import Limits, Oracle
from oracles.base import capabilities_of
from oracles.profiles import DEFAULT, MLIR
from oracles.run.confinement import Confinement, confine, landlock
from reducer.cli.display.console import echo, print_status
from reducer.cli.request.oracle_options import OracleOptions, entry_flags
from reducer.driver.settings import LoggedRun
from reducer.errors import CommandNotFound, ReducerError, UsageError
from reducer.escaping import one_line
from reducer.intake import Crash, read_crash, split_input, with_pipeline, without_splitting
from reducer.intake.allowed import Allowed, allowed, hidden_in_program, known_flags
from reducer.intake.commands import commands_in, is_compiler, releases_in
from reducer.intake.stages import NotOnePipeline, one_command
from reducer.locate.opt_tool import OptTool
from reducer.locate.pipeline import parse_steps
from reducer.storage.files import STDIN
from reducer.toolchain import Toolchain, ToolchainError, find, installed, resolve_executable

_ASSERTION = re.compile(r"UNREACHABLE executed at |Assertion (?:failed: |[`'\"(].*\bfailed\b)")
"""What a compiler built without assertions never prints."""


def command_and_input(asked: OracleOptions, text: str, *, yes: bool) -> tuple[OracleOptions, str]:
    """What to run, and on what: the whole file, what it describes, or a part of either.

    If a file describes commands that do not fail, and a function of what they make is run, the
    results of that are compared.

    Args:
        text: the text of the file.
        yes: whether the user has agreed to run commands that the file describes.

    Raises:
        UsageError: something is missing, or the user has not agreed.
        CommandNotFound: no compiler of the name in the file is installed.
    """
    if asked.test is not None:
        return asked, text
    commands: tuple[tuple[str, ...], ...] = (asked.words,)
    crash = _crash_in(text, asked.source, asked.words)
    if crash is not None:
        asked = _with_release(asked, text, crash)
        commands, text = _agreed(crash, asked, yes=yes), crash.text
        asked = replace(asked, from_file=True)
    chosen = _first_failing(commands, text, asked, sure=crash is None or not crash.entry)
    if chosen is None:
        assert crash is not None
        if not may_execute():
            raise UsageError(f"no command fails, and {NOT_EXECUTED}")
        print_status(
            "no command fails, so the results of the programs are compared (--wrong-results)"
        )
        asked = replace(asked, wrong_results=True, run=asked.run or entry_flags(crash.entry))
        chosen = _first_failing(commands, text, asked, sure=True)
    assert chosen is not None
    words, text = chosen
    return replace(asked, words=words), text


def command_of_log(
    asked: OracleOptions, logged: OracleOptions, log: str, text: str, *, yes: bool
) -> OracleOptions:
    """What to run on a text if no command is given: what a log says, the source of what is `told`.

    Raises:
        UsageError: it has no command, or the user has not agreed.
    """
    if asked.words or asked.test is not None:
        return asked
    if not (found := commands_in(log)):
        raise UsageError(f"no command to run, not in {logged.source}; put it after two dashes")
    crash = Crash((found[0].words,), text, str(asked.source), left_out=found[0].left_out)
    logged = _with_release(logged, log, crash)
    (words, *_) = _agreed(crash, logged, yes=yes)
    return replace(logged, source=asked.source, words=words, from_file=True)


def logged_run(oracle: Oracle, text: str, log: str, path: Path) -> LoggedRun | None:
    """The run of the input that a log tells of, in which that may be; None if it does not."""
    compiler = capabilities_of(oracle).failures
    reported = None if compiler is None else compiler.reported(text, log.replace(text, ""))
    if reported is None or not path.is_file():
        return None
    outcome, complete = reported
    when = datetime.fromtimestamp(path.stat().st_mtime)
    return LoggedRun(outcome, f"{path.name}, last changed {when:%Y-%m-%d %H:%M}", complete)


def own_file(asked: OracleOptions, text: str, given: Sequence[str]) -> Path | None:
    """The file, if it is this text as it is, and its command the one that was given; else None."""
    path = asked.source
    if not given or asked.words != given or path == STDIN or not path.is_file():
        return None
    is_whole = path.stat().st_size == len(text.encode(errors="surrogateescape"))
    return path if is_whole else None


def _crash_in(text: str, path: Path, words: Sequence[str]) -> Crash | None:
    """The crash that a file describes, if it must be asked: there is no command, or no flag.

    Raises:
        UsageError: something is missing.
    """
    given = [word for word in words if word not in ("--", str(path))]
    if len(given) > 1 or (given and "mlir_reproducer" not in text):
        return None
    crash = read_crash(text, path, given)
    if given and not crash.text:
        return None
    if not crash.commands and crash.pipeline and (tools := _tools_for(crash.pipeline)):
        commands = tuple(words for tool in tools for words in with_pipeline(tool, crash.pipeline))
        return replace(crash, commands=commands, missing="")
    if crash.missing:
        name = MLIR.opt if crash.pipeline else DEFAULT.compiler
        raise UsageError(
            f"no command to run, and {path.name} lacks {crash.missing}; put the failing command "
            f"after two dashes: {path} -- {name} FLAGS (or give a script with --test)"
        )
    return crash


def _tools_for(pipeline: str) -> list[str]:
    """The names of the installed `…-opt` tools whose help lists all passes of a pipeline."""
    try:
        passes = [one.name for step in parse_steps(pipeline) for one in step.passes]
    except ValueError:
        return []
    tools: dict[str, None] = {}
    for folder in os.get_exec_path():
        for program in sorted(Path(folder).glob("*-opt*"), reverse=True):
            if is_compiler(program.name) and os.access(program, os.X_OK):
                tool = OptTool(program, limits=Limits(seconds=10), calls=1, seconds=10)
                if program.name not in tools and all(map(tool.knows_pass, passes)):
                    tools[program.name] = None
    return list(tools)


def _with_release(asked: OracleOptions, text: str, crash: Crash) -> OracleOptions:
    """The same for the release that the text names, if it is installed and the user named none."""
    named = releases_in(text)
    if asked.iree or not named or not any(Toolchain.provides(one[0]) for one in crash.commands):
        return asked
    told = f"{asked.source.name} says {DEFAULT.name} {' and '.join(named)}"
    if len(named) > 1 or find(named[0]) is None:
        print_status(f"{told}: pass --iree {named[-1]}")
        return asked
    print_status(f"{told}, so that release is run; --iree selects another one")
    return replace(asked, iree=named[0])


def _agreed(crash: Crash, asked: OracleOptions, *, yes: bool) -> tuple[tuple[str, ...], ...]:
    """Show what a file wants to have run, and what of that will; return it once that is agreed.

    Only the base name of a program counts: no path from the file is ever run.

    Raises:
        UsageError: nothing may run, or the user has not agreed, and cannot be asked.
        CommandNotFound: no compiler of that name is installed.
    """
    can_agree = yes or is_asked()
    asked_for, checked = crash.commands, [Allowed(words) for words in crash.commands]
    if can_agree:  # else not even the help of a program is worth a run
        asked_for = tuple(_with_program(words, asked.iree) for words in crash.commands)
        programs = [resolve_executable(words[0], asked.iree) for words in asked_for]
        checked = [allowed(*one) for one in zip(asked_for, map(known_flags, programs), strict=True)]
    refused = [what for one in checked for what in one.refused]
    commands = tuple(dict.fromkeys(one.words for one in checked if not one.refused))
    for words in commands:
        echo(f"command found in {one_line(asked.source.name)}: {_shown(words)}", err=True)
    for what in dict.fromkeys(
        (*crash.left_out, *(what for one in checked for what in one.left_out))
    ):
        echo(f"left out: {one_line(what)}", err=True)
    if not commands:
        raise UsageError(
            f"{asked.source.name} wants to run {asked_for[0][0]} with {refused[0]}; if it may, put "
            f"the command after two dashes: {asked.source} -- {asked_for[0][0]} FLAGS"
        )
    echo(f"input found in {one_line(crash.source)}", err=True)
    _agree_to_execute(crash, asked)
    if not can_agree:
        raise UsageError("this command comes from a file; pass --yes to allow it")
    if not yes and not click.confirm("Run it?", err=True):
        raise UsageError("nothing was run")
    confine(Confinement(place=tempfile.gettempdir()))
    try:
        agreed = [one_command(one, resolve_executable(one[0], asked.iree)) for one in commands]
    except NotOnePipeline as error:
        raise UsageError(f"a line of several commands cannot be run as one: {error}") from error
    for program in dict.fromkeys(resolve_executable(one[0], asked.iree) for one in agreed):
        if what := hidden_in_program(crash.text, program):
            raise UsageError(f"the schedule in {asked.source.name} must not run: {what}")
    return tuple(agreed)


NOT_EXECUTED = (
    "the program in the file is not executed: this kernel has no Landlock to confine it, so you "
    "have to agree at a terminal"
)


def _agree_to_execute(crash: Crash, asked: OracleOptions) -> None:
    """Say that the program will be executed, if it will, and by what it is confined.

    Raises:
        UsageError: nothing can confine it, and nobody can be asked.
    """
    if not landlock():
        echo("this kernel has no Landlock, so nothing confines what runs", err=True)
    if not asked.executes and crash.entry is None:
        return
    when = "" if asked.executes else " if no command fails"
    echo(f"the program found there will be executed{when}, not only compiled", err=True)
    if asked.executes and not may_execute():
        raise UsageError(NOT_EXECUTED)


def may_execute() -> bool:
    """Whether a program from a file may be executed; --yes is no answer to that."""
    if landlock():
        return True
    return is_asked() and click.confirm("Execute it unconfined?", err=True)


def is_asked() -> bool:
    """Whether somebody can answer."""
    return sys.stdin.isatty()


def assertions_hint(source: Path | None, words: Sequence[str]) -> str:
    """What to say if only a compiler with assertions can show what a file tells, and this has none.

    Args:
        words: the command; if it is empty, that in the file.
    """
    try:
        text = source.read_text(encoding="utf-8", errors="replace") if source else ""
        if source is None or not _ASSERTION.search(text):
            return ""
        program = words[0] if words else _program(read_crash(text, source).commands[0][0], None)
        from reducer.bisect.builds import version_answer

        answer = version_answer(resolve_executable(program))
    except (OSError, IndexError, ReducerError, ToolchainError):
        return ""
    if not re.search(r" build\b(?! with assertions)", answer):
        return ""
    return f"the failure in {source.name} needs assertions, which this {program} lacks"


def _with_program(words: tuple[str, ...], iree: str | None) -> tuple[str, ...]:
    program = _program(words[0], iree)
    return tuple(program if word == words[0] else word for word in words)


def _shown(words: Sequence[str]) -> str:
    return one_line(shlex.join(words).replace(" '|' ", " | "))


def _program(name: str, iree: str | None) -> str:
    """The name of an installed program: this one, or the same with the number of a release.

    `iree` is the release of IREE to run, if one is given.
    """
    if not is_compiler(name):
        raise UsageError(f"{name} is not a known compiler, so a file cannot have it run")
    if shutil.which(name) or (Toolchain.provides(name) and (iree or installed())):
        return name
    versions = [f"{name}-{number}" for number in range(40, 10, -1)]
    found = next((version for version in versions if shutil.which(version)), None)
    if found is None:
        raise CommandNotFound(
            f"the input needs {name}, which is not on PATH; give the command after two dashes"
        )
    return found


def _first_failing(
    commands: Sequence[tuple[str, ...]],
    text: str,
    asked: OracleOptions,
    *,
    sure: bool,
) -> tuple[tuple[str, ...], str] | None:
    """The command to reduce with, and the part of the input on which it fails.

    Runs nothing if there is one command, and one part, and if it is `sure` that it fails. Otherwise
    a crash comes before an error, which may be what a test expects. If nothing fails, it is the
    first command on all of the input, or None if that is not sure.
    """
    tried: list[_FailingPart] = []
    for words in commands:
        parts = split_input(text, words)
        alone = without_splitting(words) if len(parts) > 1 else words
        tried += [_FailingPart(alone, part, n, len(parts)) for n, part in enumerate(parts, start=1)]
    if len(tried) == 1 and sure:
        return tried[0].words, tried[0].text
    failing: list[_FailingPart] = []
    for candidate in tried:
        oracle, _ = replace(asked, words=candidate.words).oracle(text)
        outcome = oracle.run(candidate.text)
        if outcome.failed:
            failing.append(candidate)
        if outcome.failed and outcome.kind.traits.aborts:
            failing = [candidate]
            break
    if not failing:
        return (commands[0], text) if sure else None
    if failing[0].total > 1:
        print_status(_told(failing))
    return failing[0].words, failing[0].text


@dataclass(frozen=True)
class _FailingPart:
    """A part of the input, its number among all, and the command on it alone."""

    words: tuple[str, ...]
    text: str
    number: int
    total: int


def _told(failing: Sequence[_FailingPart]) -> str:
    """Which part was chosen, and which others fail with the same command."""
    first = failing[0]
    others = [str(one.number) for one in failing[1:] if one.words == first.words]
    text = f"using part {first.number} of the {first.total} in the input, which fails"
    verb = "so does part" if len(others) == 1 else "so do parts"
    return f"{text}; {verb} {', '.join(others)}" if others else text
