"""What can stop a reduction, each with a message for people and an exit code for scripts.

The small numbers are this field's custom; from 64 on they follow BSD's sysexits.h, and 124 is what
`timeout` answers, 127 what a shell answers for a command that it cannot find.
"""

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """How the program ends. The best reproducer so far is saved in every case that has one."""

    REDUCED = 0
    NOT_INTERESTING = 1
    USAGE = 2
    BUDGET = 3
    FLAKY = 4
    BAD_INPUT = 65
    NO_INPUT = 66
    UNAVAILABLE = 69
    INTERNAL = 70
    CANNOT_WRITE = 73
    BUSY = 75
    NO_END = 124
    COMMAND_NOT_FOUND = 127
    INTERRUPTED = 130


class ReducerError(Exception):
    """Anything that ends the program with a plain message; `str(error)` is that message."""

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL


class NotInteresting(ReducerError):
    """The command does not fail on the input, so there is nothing to keep."""

    exit_code = ExitCode.NOT_INTERESTING


class UsageError(ReducerError):
    """The request itself makes no sense."""

    exit_code = ExitCode.USAGE


class FlakyOracle(ReducerError):
    """The same command on the same text gives different answers."""

    exit_code = ExitCode.FLAKY


class BadInput(ReducerError):
    """The input exists but is not text that could be reduced."""

    exit_code = ExitCode.BAD_INPUT


class MissingInput(ReducerError):
    """The input cannot be opened."""

    exit_code = ExitCode.NO_INPUT


class Unavailable(ReducerError):
    """A compiler version cannot be had."""

    exit_code = ExitCode.UNAVAILABLE


class OutputNotWritable(ReducerError):
    """The place for the output cannot be written to."""

    exit_code = ExitCode.CANNOT_WRITE


class JournalBusy(ReducerError):
    """Another process works on the same reduction."""

    exit_code = ExitCode.BUSY


class DatabaseBusy(ReducerError):
    """Another process works on the same triage."""

    exit_code = ExitCode.BUSY


class JournalMismatch(UsageError):
    """Asked to resume, but the journal belongs to another reduction."""


class DoesNotTerminate(ReducerError):
    """The command does not end on the input, and no limit says when it should."""

    exit_code = ExitCode.NO_END


class CommandNotFound(ReducerError):
    """The first word of the command is no program that can be run."""

    exit_code = ExitCode.COMMAND_NOT_FOUND


class Interrupted(ReducerError):
    """Stopped by a signal."""

    exit_code = ExitCode.INTERRUPTED
