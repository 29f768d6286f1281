"""Turn each error that ends the program into a message on stderr and an exit code.

Imported only when a command runs: the modules that define the exceptions import most of the others.
"""

import errno
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import click

from oracles.plugin import PluginError
from reducer.cli.console import echo
from reducer.cli.ending import interrupted, print_error
from reducer.errors import INTERNAL_ERRORS, ExitCode, InternalError, ReducerError
from reducer.search.evaluator import Stopped
from reducer.session.internal_errors import is_internal
from reducer.toolchain import ToolchainError


class DeferredErrors:
    """Collects errors, to be printed once nothing is drawn on the screen any more.

    With `traces`, tracebacks of internal errors are printed, too.
    """

    def __init__(self, *, traces: bool = False) -> None:
        self.problems: list[str] = []
        self._traces = traces
        self._told: list[InternalError] = []

    @contextmanager
    def attempt(self, name: str) -> Iterator[None]:
        """Run the body of the `with`, which makes what `name` says; failure is not fatal."""
        try:
            yield
        except Exception as error:
            text = error.reason if isinstance(error, Stopped) else str(error)
            if is_internal(error):
                INTERNAL_ERRORS.append(InternalError.of(f"the {name}", error))
                self._told.append(INTERNAL_ERRORS[-1])
                text = self._told[-1].text
            self.problems.append(f"could not write the {name}: {text}")

    def print_all(self, saved: str = "; the result itself was saved") -> None:
        """Print to standard error what could not be made, and why."""
        for one in INTERNAL_ERRORS if self._traces else ():
            echo(one.trace, err=True)
        stages = (str(one) for one in INTERNAL_ERRORS if one not in self._told)
        for problem in (*stages, *self.problems):
            print_error(f"{problem}{saved}")


_OS_ERRORS = {
    errno.ENOEXEC: ExitCode.COMMAND_NOT_FOUND,
    errno.EACCES: ExitCode.COMMAND_NOT_FOUND,
    errno.ENOENT: ExitCode.COMMAND_NOT_FOUND,
    errno.ENOSPC: ExitCode.CANNOT_WRITE,
    errno.EDQUOT: ExitCode.CANNOT_WRITE,
    errno.EFBIG: ExitCode.CANNOT_WRITE,
    errno.EROFS: ExitCode.CANNOT_WRITE,
}
_STOPPED = {"budget": ExitCode.BUDGET, "interrupted": ExitCode.INTERRUPTED}
_STOPPED_EARLY = {
    "budget": (
        "the budget was spent before there was a result; run the same command with more "
        "(--max-calls, --max-seconds)"
    ),
    "interrupted": "interrupted before there was a result; run the same command again",
}


def explain(error: Exception) -> int:
    """Report the error; return its exit code."""
    match error:
        case click.Abort():
            return interrupted()
        case ReducerError():
            print_error(str(error))
            return error.exit_code
        case PluginError():
            echo("".join(traceback.format_exception(error)), err=True)
            print_error(f"the oracle given with --oracle failed: {error}")
            return ExitCode.INTERNAL
        case ToolchainError():
            print_error(str(error))
            return ExitCode.UNAVAILABLE
        case Stopped():
            print_error(_STOPPED_EARLY.get(error.reason, _STOPPED_EARLY["interrupted"]))
            return _STOPPED.get(error.reason, ExitCode.INTERRUPTED)
        case FileNotFoundError(filename=None):  # os.getcwd says no more
            print_error("the current folder does not exist any more; change to another one")
            return ExitCode.NO_INPUT
        case OSError() if error.errno in _OS_ERRORS:
            code = _OS_ERRORS[error.errno]
            # A file that is open has no name here.
            unnamed = "cannot write" if code is ExitCode.CANNOT_WRITE else "cannot start a program"
            print_error(f"{error.filename or unnamed}: {error.strerror}")
            return code
        case MemoryError():
            print_error(
                "mlir-reducer itself ran out of memory (see ulimit -v); the same command continues "
                "a reduction where it stopped"
            )
            return ExitCode.INTERNAL
    echo("".join(traceback.format_exception(error)), err=True)
    print_error(
        "internal error: this is a bug in mlir-reducer, not in your input. Please report the "
        "traceback above. Progress was saved; run the same command again to continue."
    )
    return ExitCode.INTERNAL
