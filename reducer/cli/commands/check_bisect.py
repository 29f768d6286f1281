"""`check --bisect`: a verdict on one build, in the exit codes that `git bisect run` wants.

git takes 1 to 127 for "bad" and stops at 128 or more. So an error must have neither the exit code
that it has elsewhere: what may be different at the next commit is skipped, and what is wrong at all
of them ends the bisection.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from pathlib import Path

import click

from oracles import Command, Oracle, Outcome, Signature
from oracles.base import capabilities_of
from oracles.signature.match_any_error import match_any_error
from oracles.stored import UNREADABLE, parsed
from reducer.cli.request.oracle_options import OracleOptions
from reducer.errors import (
    CannotJudge,
    CommandNotFound,
    ExitCode,
    Interrupted,
    ReducerError,
    UsageError,
)
from reducer.storage.result_folder import ResultFolder
from reducer.toolchain import ToolchainError
from reducer.toolchain.flags import flags_of, translate

LIMIT = 3600.0
"""Seconds that a run may take if the user set no limit: a commit must not stop a bisection."""


class BisectVerdict(Enum):
    """Whether a build has the bug; the value is the exit code."""

    GOOD = 0
    BAD = 1
    SKIP = 125

    def __str__(self) -> str:
        return {0: "good", 1: "bad", 125: "skip"}[self.value]


class Skipped(ReducerError):
    """This build cannot be run, which the next one may."""

    exit_code = ExitCode.SKIP


class Aborted(ReducerError):
    """Something is wrong that no other build changes."""

    exit_code = ExitCode.ABORT


class _AbortedUsage(click.UsageError):
    """The command line is wrong, which click reports by itself."""

    exit_code = ExitCode.ABORT


@contextmanager
def exit_codes_for_git() -> Iterator[None]:
    """Give every error in the body of the `with` an exit code that git does not take for "bad"."""
    try:
        yield
    except (Skipped, Aborted, Interrupted):
        raise
    except click.UsageError as error:
        raise _AbortedUsage(error.format_message(), error.ctx) from error
    except (CommandNotFound, CannotJudge, ToolchainError) as error:
        raise Skipped(f"skip: {error}") from error
    except ReducerError as error:
        raise Aborted(str(error)) from error


def known_failure(options: OracleOptions, like: Path | None) -> Signature | None:
    """The failure that a bad build has; None if the options themselves describe it.

    Raises:
        UsageError: it is unknown.
    """
    described = (options.test, options.match, options.exit_code)
    if options.wrong_results or any(one is not None for one in described):
        if like is not None:
            raise UsageError(
                "--bisect=FILE cannot be combined with an option that describes the failure"
            )
        return None
    if like is not None:
        return _read(like)
    from reducer.driver.records.history import reading  # imports what searches

    try:
        with reading(ResultFolder.of(options.source).journal) as journal:
            return journal.history().signature
    except ReducerError:
        raise UsageError(
            "--bisect: which failure is the bad one? Give the result of a reduction with its "
            "folder beside it, a description (--match, --signature exit=N), or --bisect=FILE with "
            "what `check --json FILE` wrote for a bad build"
        ) from None


def _read(like: Path) -> Signature:
    try:
        data = parsed(like.read_text(encoding="utf-8"))
        return Signature.from_json(data.get("failure", data))
    except OSError as error:
        raise UsageError(f"--bisect: {like}: {error.strerror}") from error
    except UNREADABLE as error:
        raise UsageError(f"--bisect: {like} was not written by `check --json`") from error


def require_program(options: OracleOptions) -> None:
    """Do not let another compiler stand in for one that a commit failed to build.

    Raises:
        Skipped: the program is not on PATH.
    """
    if options.iree is not None or not options.words:
        return
    program = Command.parse(options.words, source=options.source, directory=Path.cwd()).program
    if shutil.which(program) is None:
        raise Skipped(f"skip: '{program}' is not an executable program")


def in_own_spelling(options: OracleOptions, oracle: Oracle) -> OracleOptions:
    """The options with the flags of the command as this build spells them.

    One that it does not know at all stays, so that the build is skipped.
    """
    compiler = capabilities_of(oracle).compiler
    if compiler is None:
        return options
    words = (compiler.command.program, *options.words)
    return replace(options, words=translate(words, flags_of(compiler.executable)).words[1:])


def verdict_on(
    oracle: Oracle, outcome: Outcome, target: Signature | None
) -> tuple[BisectVerdict, str]:
    """Whether the outcome shows the failure, and why.

    Failures are compared as those of different builds are (`oracles.signature.comparison`).
    """
    if target is None:
        if oracle.wants(outcome):
            return BisectVerdict.BAD, "it fails as described"
    elif (how := match_any_error(target, outcome)[0]) is not None:
        return BisectVerdict.BAD, f"the same failure, {how}" if how else "the same failure"
    if outcome.kind.traits.undecided:
        return BisectVerdict.SKIP, "nothing can tell whether the results are right"
    compiled = not outcome.exit_code or capabilities_of(oracle).of_one_run is None
    if outcome.succeeded and compiled:
        return BisectVerdict.GOOD, "no failure"
    return BisectVerdict.SKIP, "another failure, which may hide the bug"
