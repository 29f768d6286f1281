"""Read standard output for a program whose standard error goes there.

So it does below a script with `2>&1`, such as `compiler "$@" 2>&1 | tee log`.
"""

from dataclasses import replace
from functools import wraps

from oracles.abnormal import abnormal_exit
from oracles.diagnostics import parse_diagnostics
from oracles.limits import End, ProcessResult, Runner
from oracles.traceback import uncaught_exception

_ORDINARY = 1
"""An exit code of which nothing follows."""


def reading_both(runner: Runner) -> Runner:
    """The runner, whose results have what tells of a failure as their standard error."""

    @wraps(runner)
    def run(*args: object, **options: object) -> ProcessResult:
        return as_stderr(runner(*args, **options))  # type: ignore[arg-type]

    return run


def as_stderr(result: ProcessResult) -> ProcessResult:
    """The result with its standard output before its standard error, if only that says why it
    fails.

    The shell may say something as well. The output of a program that succeeds may be IR, with
    anything in it; so only a crash counts then.
    """
    if not result.stdout.strip() or result.end is End.CANCELLED:
        return result
    failed = result.end is End.EXITED and result.exit_code != 0
    if _says_why(result.stderr, failed=True) or not _says_why(result.stdout, failed=failed):
        return result
    return replace(result, stderr=f"{result.stdout.rstrip()}\n{result.stderr}")


def _says_why(text: str, *, failed: bool) -> bool:
    """Whether a text has the last words of a program, or else, if it has `failed`, an error."""
    if abnormal_exit(text, _ORDINARY) is not None or uncaught_exception(text) is not None:
        return True
    return failed and any(one.severity == "error" for one in parse_diagnostics(text))
