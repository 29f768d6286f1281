"""Map each exception that ends the program to its message and exit code.

Imported only when a command runs: the modules that define the exceptions import most of the others.
"""

import errno
import traceback
from collections.abc import Sequence

import click

from oracles.base import PluginError
from reducer.asking import Stopped
from reducer.cli.display.console import echo
from reducer.cli.ending import interrupted, print_error
from reducer.errors import ExitCode, InternalError, ReducerError, ended_early
from reducer.toolchain import ToolchainError


def print_problems(
    errors: Sequence[InternalError], problems: Sequence[str], saved: str, *, traces: bool
) -> None:
    """Print to standard error what could not be made, and why.

    Args:
        saved: what to say about the result.
        traces: also print the tracebacks of internal errors.
    """
    for error in errors if traces else ():
        echo(error.trace, err=True)
    told = "\n".join(problems)
    stages = (str(error) for error in errors if error.text not in told)
    for problem in (*stages, *problems):
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
            print_error(f"the oracle given with --test failed: {error}")
            return ExitCode.INTERNAL
        case ToolchainError():
            print_error(str(error))
            return ExitCode.UNAVAILABLE
        case Stopped():
            return explain(ended_early(error.reason))
        case FileNotFoundError(filename=None):  # os.getcwd says no more
            print_error("the current folder no longer exists; change to another one")
            return ExitCode.NO_INPUT
        case OSError() if error.errno in _OS_ERRORS:
            code = _OS_ERRORS[error.errno]
            # A file that is open has no name here.
            unnamed = "cannot write" if code is ExitCode.CANNOT_WRITE else "cannot start a program"
            print_error(f"{error.filename or unnamed}: {error.strerror}")
            return code
        case MemoryError():
            print_error("mlir-reducer itself ran out of memory (see ulimit -v); run it again")
            return ExitCode.INTERNAL
    echo("".join(traceback.format_exception(error)), err=True)
    print_error(
        "internal error: this is a bug in mlir-reducer, not in your input. Please report the "
        "traceback above. Progress was saved; run the same command again to continue."
    )
    return ExitCode.INTERNAL
