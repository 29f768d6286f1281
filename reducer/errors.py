"""Errors that can stop a reduction, each with a message for the user and an exit code for scripts.

Small exit codes follow the conventions of test-case reducers; codes from 64 on follow BSD's
sysexits.h, 124 is that of `timeout`, 127 that of a shell for a command it cannot find, and 125 and
128 tell `git bisect run` to skip a commit or to stop.
"""

import traceback
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """The exit codes of the program. The best reproducer so far is always saved if there is one."""

    REDUCED = 0
    NOT_INTERESTING = 1
    USAGE = 2
    BUDGET = 3
    FLAKY = 4
    CANNOT_JUDGE = 5
    BAD_INPUT = 65
    NO_INPUT = 66
    UNAVAILABLE = 69
    INTERNAL = 70
    CANNOT_WRITE = 73
    BUSY = 75
    NO_END = 124
    SKIP = 125
    COMMAND_NOT_FOUND = 127
    ABORT = 128
    INTERRUPTED = 130


class ReducerError(Exception):
    """Any error that ends the program with a plain message; `str(error)` is that message."""

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL


class NotInteresting(ReducerError):
    """The command does not fail on the input, so there is nothing to keep."""

    exit_code = ExitCode.NOT_INTERESTING


class UsageError(ReducerError):
    """The request is invalid."""

    exit_code = ExitCode.USAGE


class FlakyOracle(ReducerError):
    """The same command gives different results for the same text.

    `is_steady_enough` tells whether runs have enough in common to go on by repeating them.
    """

    exit_code = ExitCode.FLAKY

    def __init__(self, message: str, *, is_steady_enough: bool = False) -> None:
        super().__init__(message)
        self.is_steady_enough = is_steady_enough


class CannotJudge(ReducerError):
    """Nothing can tell whether the results of the program, or of candidates, are right."""

    exit_code = ExitCode.CANNOT_JUDGE


class BadInput(ReducerError):
    """The input exists but is not text that can be reduced, or what was stored is damaged."""

    exit_code = ExitCode.BAD_INPUT


class MissingInput(ReducerError):
    """The input cannot be opened."""

    exit_code = ExitCode.NO_INPUT


class Unavailable(ReducerError):
    """A compiler version cannot be obtained."""

    exit_code = ExitCode.UNAVAILABLE


class OutputNotWritable(ReducerError):
    """The output path cannot be written to."""

    exit_code = ExitCode.CANNOT_WRITE


class JournalBusy(ReducerError):
    """Another process is working on the same reduction."""

    exit_code = ExitCode.BUSY


class DatabaseBusy(ReducerError):
    """Another process is working on the same triage."""

    exit_code = ExitCode.BUSY


class DoesNotTerminate(ReducerError):
    """The command does not terminate on the input, and there is no time limit."""

    exit_code = ExitCode.NO_END


class CommandNotFound(ReducerError):
    """The first word of the command is not an executable program."""

    exit_code = ExitCode.COMMAND_NOT_FOUND


class Interrupted(ReducerError):
    """The run was stopped by a signal, or by whoever started it."""

    exit_code = ExitCode.INTERRUPTED


class BudgetSpent(ReducerError):
    """The budget was spent before there was a result."""

    exit_code = ExitCode.BUDGET


def ended_early(reason: str) -> ReducerError:
    """The error for a reduction that was stopped before there was a result."""
    if reason == "budget":
        return BudgetSpent("no result within the budget; run the same command with more")
    return Interrupted("interrupted before there was a result")


@dataclass(frozen=True)
class InternalError:
    """A bug of this program that has cost one part of its work.

    Attributes:
        part: what it has cost, as the end of a sentence.
        text: what happened, and where.
        trace: the traceback.
    """

    part: str
    text: str
    trace: str

    @staticmethod
    def of(part: str, error: Exception) -> "InternalError":
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename.rpartition('/')[2]}:{place.lineno}"
        text = f"internal error in mlir-reducer ({where}): {type(error).__name__}: {error}"
        return InternalError(part, text, "".join(traceback.format_exception(error)))

    def __str__(self) -> str:
        return f"{self.text}; not finished: {self.part}"
