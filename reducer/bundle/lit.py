"""`repro.lit.mlir`: the reproducer as a test for LLVM's lit, to add to a source tree.

lit runs whatever follows `RUN:` anywhere in a file, and FileCheck reads every `CHECK:`. So a
program that contains such keywords stays in a separate file.
"""

import re
import shlex
from collections.abc import Iterator, Sequence

from oracles.profiles import RUNTIME
from oracles.values.demonstration import PROGRAM
from reducer.bundle.facts import ERROR, FILES, ReproCheck
from reducer.bundle.run_check import RunCheck
from reducer.escaping import one_line

COMPILED = "%t.program"
"""The compiled program, in a test."""

_FILE = re.compile(rf"(?<![^\s'\"=,;:{{(@]){FILES}/")
_KEYWORDS = re.compile(
    r"(?:RUN|XFAIL|REQUIRES|UNSUPPORTED|ALLOW_RETRIES|DEFINE|REDEFINE|CHECK\S*|COM):|\bEND\."
)


def lit_test(check: ReproCheck, text: str, signature: str) -> str | None:
    """A test that passes as long as the failure occurs; None if lit cannot express it.

    Args:
        text: the program without comments.
        signature: the failure, for a comment.
    """
    if check.self_checking or check.memory is not None or unwritable(check.words):
        return None
    if check.run is not None and not _is_writable(check.run):
        return None
    inside = not has_keywords(text)
    command = command_on(check.words, "%s" if inside else f"%S/{check.file}", check.file)
    command = " ".join([*map(quoted, check.launcher), command])
    lines = list(_run_lines(check, check.run, command))
    lines.append(f"// Passes as long as the failure occurs: {_disarmed(one_line(signature))}")
    if check.run is not None:
        lines += [f"// CHECK: {one}" for one in _checks(check.run)]
    elif check.pattern is not None:
        lines.append(f"// CHECK: {check.pattern.filecheck}")
    elif check.silent:
        lines.append(f"// CHECK-NOT: {ERROR.strip()}")
    body = [text.rstrip("\n")] if inside else [f"// The program is in {check.file}."]
    return "\n".join([*lines, "", *body, ""])


def has_keywords(text: str) -> bool:
    """Whether lit or FileCheck would take a part of the program for a directive."""
    return _KEYWORDS.search(text) is not None


def _run_lines(check: ReproCheck, run: RunCheck | None, command: str) -> Iterator[str]:
    if run is None:
        yield f"// RUN: {_wrapped(check, command)}"
        return
    yield f"// RUN: {command.replace(PROGRAM, COMPILED)}"
    call = " ".join(quoted(word).replace(PROGRAM, COMPILED) for word in run.words)
    call = beside_test(call)
    if run.seconds is not None:
        yield f"// RUN: not timeout {max(1, round(run.seconds))} {call}"
        return
    crashes = run.status is not None and run.status < 0
    wrapped = f"{'not --crash' if crashes else 'not'} {call}"
    read = " 2>&1 | FileCheck %s" if list(_checks(run)) else ""
    yield f"// RUN: {wrapped}{read}"


def _checks(run: RunCheck) -> Iterator[str]:
    """What the runtime's tool prints, for FileCheck."""
    if run.kind is not None:
        yield RUNTIME.difference
    for pattern in run.patterns:
        yield pattern.filecheck


def _is_writable(run: RunCheck) -> bool:
    """Whether the exit status of the call tells that it goes wrong."""
    return (run.kind is None or run.is_seen) and not unwritable(run.words)


def _wrapped(check: ReproCheck, command: str) -> str:
    """The command wrapped so that it succeeds on failure and FileCheck reads its output."""
    if check.seconds is not None:
        return f"not timeout {max(1, round(check.seconds))} {command}"
    status = check.status
    reads = check.pattern is not None or check.silent
    if reads:
        command = f"{command} 2>&1"
    if status is not None and status != 0:
        command = f"{'not --crash' if status < 0 else 'not'} {command}"
    if reads:
        command = f"{command} | FileCheck %s{' --allow-empty' if check.silent else ''}"
    return command


def command_on(words: Sequence[str], place: str, file: str) -> str:
    """The command on the program in `place`, called `file` in the words, as lit reads it."""
    name = words[0].rsplit("/", 1)[-1]
    rest = [place if word == file else quoted(word).replace(file, place) for word in words[1:]]
    return beside_test(" ".join([quoted(name), *rest]))


def beside_test(command: str) -> str:
    """The command with the files of the report beside the test, as lit runs it in another folder.

    >>> beside_test("tool files/a.mlir --x=y=files/b.mlir other/files/c")
    'tool %S/files/a.mlir --x=y=%S/files/b.mlir other/files/c'
    """
    return _FILE.sub(f"%S/{FILES}/", command)


def quoted(word: str) -> str:
    """A word quoted for lit's internal shell, which expands `%` substitutions first."""
    return shlex.quote(word).replace("%", "%%")


def unwritable(words: Sequence[str]) -> bool:
    """Whether the words cannot be written as one `RUN:` line: a trailing backslash continues it."""
    return any(one_line(word) != word or word.endswith("\\") for word in words)


def _disarmed(text: str) -> str:
    return _KEYWORDS.sub(lambda match: f"{match[0][:-1]} {match[0][-1]}", text)
