"""Read standard output for a program whose standard error goes there.

So it does below a script with `2>&1`, such as `compiler "$@" 2>&1 | tee log`. Standard output may
as well be IR, or the input, in which anything may be quoted.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from functools import wraps

from oracles.abnormal import abnormal_exit, has_banner
from oracles.diagnostics import parse_diagnostics, parse_line
from oracles.limits import End, ProcessResult, Runner
from oracles.traceback import uncaught_exception

_ORDINARY = 1
"""An exit code of which nothing follows."""

# bash: `t.sh: line 3: 598 Aborted (core dumped) t 2>&1`, and for a pipe `    599 Done | tee log`
_OF_SHELL = re.compile(
    r"(?:[^\n]*: line \d+: +\d+ )?"
    r"(?:Aborted|Bus error|Floating point exception|Illegal instruction|Killed|Segmentation fault"
    r"|Terminated|Trace/breakpoint trap)(?:$| \(core dumped\)| {2,})"
    r"|\s+\d+ (?:Done|Exit \d+) +\|"
)
"""What a shell says of a program that a signal ends."""

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENT = re.compile(r"(?<![\w.-])//.*")
"""A comment of MLIR; in a path, slashes are doubled after a name."""


def reading_both(runner: Runner, source: str | bytes) -> Runner:
    """The runner, whose results have what tells of a failure as their standard error.

    `source` is the input of what runs.
    """

    @wraps(runner)
    def run(*args: object, **options: object) -> ProcessResult:
        return as_stderr(runner(*args, **options), source)  # type: ignore[arg-type]

    return run


def as_stderr(result: ProcessResult, source: str | bytes) -> ProcessResult:
    """The result with its standard output before its standard error, if only that says why it
    fails.

    That is so if standard error has nothing but what the shell says of a signal: any other words
    may say why, whatever they are. Lines of IR or of the input that sound like a failure are left
    out. If the program succeeds, only a crash counts.
    """
    if not result.stdout.strip() or result.end is End.CANCELLED:
        return result
    if any(line.strip() and not _OF_SHELL.match(line) for line in result.stderr.splitlines()):
        return result
    failed = result.end is End.EXITED and result.exit_code != 0
    if not _says_why(result.stdout, failed=failed):
        return result
    said = _without_quotations(result.stdout, source)
    if not _says_why(said, failed=failed):
        return result
    return replace(result, stderr=f"{said.rstrip()}\n{result.stderr}")


def _says_why(text: str, *, failed: bool) -> bool:
    """Whether a text says that something crashed, or else, if that has `failed`, why."""
    if not failed:
        return has_banner(text)
    if abnormal_exit(text, _ORDINARY) is not None or uncaught_exception(text) is not None:
        return True
    return any(one.severity == "error" for one in parse_diagnostics(text))


def _without_quotations(text: str, source: str | bytes) -> str:
    """The text with an empty line for each one that only quotes a message."""
    known = source.decode(errors="replace") if isinstance(source, bytes) else source
    own = {line.strip() for line in known.splitlines()}
    return "\n".join("" if _quotes(line, own) else line for line in text.splitlines())


def _quotes(line: str, own: Collection[str]) -> bool:
    """Whether a line has a message that is in the input, or in a string or comment of IR.

    A message that a program prints begins its line.
    """
    if not _is_message(line):
        return False
    said = "" if line[:1].isspace() else _COMMENT.sub("", _QUOTED.sub("", line))
    return line.strip() in own or not _is_message(said)


def _is_message(line: str) -> bool:
    return abnormal_exit(line, _ORDINARY) is not None or parse_line(line) is not None
