"""Find the errors on standard output where a script has redirected standard error to it.

So it does below a script with `2>&1`, such as `compiler "$@" 2>&1 | tee log`. Standard output may
as well be IR, or the input, in which anything may be quoted.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from functools import wraps
from pathlib import Path

from oracles.rows import pattern_of
from oracles.run.limits import End, ProcessResult, Runner
from oracles.signature.abnormal import abnormal_exit, has_banner
from oracles.signature.diagnostics import parse_diagnostics, parse_line
from oracles.signature.python_traceback import uncaught_exception

_ORDINARY = 1
"""An exit code of which nothing follows."""

_ENDS = (
    "Aborted|Bad system call|Bus error|CPU time limit exceeded|File size limit exceeded"
    "|Floating point exception|Illegal instruction|Killed|Segmentation fault|Terminated"
    "|Trace/breakpoint trap"
)
# bash: `t.sh: line 3: 598 Aborted (core dumped) t 2>&1`, and for a pipe `    599 Done | tee log`.
# The command follows in the 25th column, without a space after the longest of these words.
_OF_SHELL = pattern_of(
    (rf"[^\n]*: line \d+: +\d+ (?:{_ENDS})", "shells/bash-script"),
    (rf"(?:{_ENDS})(?:$| \(core dumped\)| {{2,}})", "shells/dash-script"),
    (r"\s+\d+ (?:Done|Exit \d+) +\|", "shells/bash-pipe"),
)
"""What a shell says of a program that a signal ends."""

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENTS = re.compile(rf"{_QUOTED.pattern}|(?P<comment>//(?! ?-----).*)")
"""The comments of MLIR but those between programs; and strings, in which slashes begin none."""
_COMMENT = re.compile(r"(?<![\w.-])//.*")
"""A comment in what a program prints; in a path, slashes are doubled after a name."""
_AS_IS = "surrogateescape"


def reading_both(runner: Runner, source: str | bytes, path: Path) -> Runner:
    """The runner, whose results have what tells of a failure as their standard error.

    `source` is the input of what runs, and `path` its file. A message that is in a comment of the
    input may also be what the compiler says, as in a result of an earlier reduction. So the program
    runs again, without comments: what it still prints does not come from them.
    """
    text = source.decode(errors=_AS_IS) if isinstance(source, bytes) else source

    @wraps(runner)
    def run(*args: object, **options: object) -> ProcessResult:
        result = runner(*args, **options)  # type: ignore[arg-type]
        said = as_stderr(result, text)
        doubtful = _in_comments(said.stderr, text) if said is not result else frozenset()
        if not doubtful:
            return said
        path.write_bytes(_without_comments(text).encode(errors=_AS_IS))
        try:
            plain = runner(*args, **options)  # type: ignore[arg-type]
        finally:
            path.write_bytes(text.encode(errors=_AS_IS))
        if plain.end is End.CANCELLED:
            return plain
        said = as_stderr(result, text, doubtful - set(map(str.strip, plain.stdout.splitlines())))
        return replace(
            said,
            seconds=said.seconds + plain.seconds,
            cpu_seconds=said.cpu_seconds + plain.cpu_seconds,
            peak_memory=max(said.peak_memory, plain.peak_memory),
        )

    return run


def as_stderr(
    result: ProcessResult, source: str, quoted: Collection[str] = frozenset()
) -> ProcessResult:
    """The result with its standard output before its standard error, if only that says why it
    fails.

    That is so if standard error has nothing but what the shell says of a signal: any other words
    may say why, whatever they are. Lines of IR or of the input that sound like a failure are left
    out, and those that are known to be `quoted`. If the program succeeds, only a crash counts.
    """
    if not result.stdout.strip() or result.end is End.CANCELLED:
        return result
    if any(line.strip() and not _OF_SHELL.match(line) for line in result.stderr.splitlines()):
        return result
    failed = result.end is End.EXITED and result.exit_code != 0
    if not _says_why(result.stdout, failed=failed):
        return result
    own = {*quoted, *map(str.strip, source.splitlines())}
    said = _without_quotations(result.stdout, own)
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


def _in_comments(text: str, source: str) -> frozenset[str]:
    """The messages in a text that are in comments of the input as well."""
    comments = "\n".join(found[0] for found in _COMMENTS.finditer(source) if found["comment"])
    lines = map(str.strip, text.splitlines()) if comments else ()
    return frozenset(line for line in lines if _is_message(line) and line in comments)


def _without_comments(source: str) -> str:
    """The input with as many lines, but without what is in its comments."""
    return _COMMENTS.sub(lambda found: "" if found["comment"] else found[0], source)


def _without_quotations(text: str, own: Collection[str]) -> str:
    """The text with an empty line for each one that only quotes a message."""
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
