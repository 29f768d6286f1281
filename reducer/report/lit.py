"""A test for LLVM's lit, to add to a source tree.

It passes once the bug is fixed, and goes into the tree with the fix. It checks as much as is known
of a healthy compiler: the right results of a program that was miscompiled, what a healthy release
of an `…-opt` tool prints, or else that the command succeeds.

lit runs whatever follows `RUN:` anywhere in a file, and FileCheck reads every `CHECK:`. So a
program that contains such keywords stays in a separate file.
"""

import re
import shlex
from collections.abc import Iterator, Sequence

from oracles.compilers.compiler import DISCARD
from oracles.evidence import PROGRAM, RunCheck
from reducer.escaping import one_line
from reducer.printed_results import SLACK, UNDEFINED
from reducer.report.facts import FILES, Healthy, ReproCheck
from reducer.report.patterns import Pattern

COMPILED = "%t.program"
"""The compiled program, in a test."""

_FILE = re.compile(rf"(?<![^\s'\"=,;:{{(@]){FILES}/")
_KEYWORDS = re.compile(
    r"(?:RUN|XFAIL|REQUIRES|UNSUPPORTED|ALLOW_RETRIES|DEFINE|REDEFINE|CHECK\S*|COM):|\bEND\."
)


def has_keywords(text: str) -> bool:
    """Whether lit or FileCheck would take a part of the program for a directive."""
    return _KEYWORDS.search(text) is not None


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


_FUNCTION = re.compile(r"^\s*(?P<op>[a-z_][\w.]*\.func|func)\b[^@\n]*(?P<name>@[\w.$-]+)")
_OP = re.compile(r'^\s*(?:%[^=]*= )?"?(?P<op>[a-z_]\w*(?:\.[A-Za-z_]\w*)+)"?(?=[\s(<{\[]|$)')
_CONSTANT = re.compile(r"\.constant$")
_INTEGER = re.compile(r"(?:\d+x)*[su]?i\d+=")
_MOST = 60  # lines of CHECK


def regression_test(check: ReproCheck, text: str, healthy: Healthy | None = None) -> str | None:
    """A test that passes once the failure is gone; None if lit cannot express it.

    Args:
        text: the program without comments.
        healthy: what a release prints that does not fail.
    """
    lines = list(_lines(check, healthy, "%s" if not has_keywords(text) else f"%S/{check.file}"))
    if not lines:
        return None
    body = f"// The program is in {check.file}." if has_keywords(text) else text.rstrip("\n")
    return "\n".join([*lines, "", body, ""])


def _lines(check: ReproCheck, healthy: Healthy | None, place: str) -> Iterator[str]:
    """The lines of `RUN:` and `CHECK:`; none if lit cannot express the test."""
    if check.self_checking or check.memory is not None or unwritable(check.words):
        return
    command = " ".join([*map(quoted, check.launcher), command_on(check.words, place, check.file)])
    if check.run is not None:
        yield from _of_run(check.run, command)
    elif check.seconds is not None:
        yield f"// RUN: timeout {max(1, round(check.seconds))} {command}"
        yield "// Passes once the command finishes in time."
    elif healthy is not None and (expected := list(checks(healthy.output))):
        printing = command_on(_printing(check.words), place, check.file)
        launcher = [*map(quoted, check.launcher), printing]
        yield f"// RUN: {' '.join(launcher)} | FileCheck %s"
        yield f"// The output of {healthy.release}, which does not have the bug:"
        yield from (f"// {one}" for one in expected)
    elif check.status not in (None, 0):
        yield f"// RUN: {command}"
        yield "// Passes once the command succeeds."
    elif check.pattern is not None:
        yield f"// RUN: {command} 2>&1 | FileCheck %s --allow-empty"
        yield f"// CHECK-NOT: {check.pattern.filecheck}"


def _of_run(run: RunCheck, command: str) -> Iterator[str]:
    """Compile, and run the program: it ends, or has the right results."""
    results = list(_exact(run))
    seen = run.wrong is None or run.is_seen
    if unwritable(run.words) or not (seen or results):
        return
    yield f"// RUN: {command.replace(PROGRAM, COMPILED)}"
    words = run.words if seen else run.call
    call = " ".join(quoted(word).replace(PROGRAM, COMPILED) for word in words)
    call = beside_test(call)
    if run.seconds is not None:
        call = f"timeout {max(1, round(run.seconds))} {call}"
    yield f"// RUN: {call}" if seen else f"// RUN: {call} | FileCheck %s"
    ends = "the results are right" if run.wrong else "the program runs to completion"
    yield f"// Passes once {ends}."
    yield from () if seen else (f"// CHECK: {one}" for one in results)


def _exact(run: RunCheck) -> Iterator[str]:
    """The right results as the runtime's tool prints them, if they are integers."""
    for line in run.expected.splitlines():
        result = line.partition(": ")[2]
        if not _INTEGER.match(result) or UNDEFINED in result or SLACK in result:
            return
        yield Pattern((result,)).filecheck


def _printing(words: Sequence[str]) -> list[str]:
    """The command with its output on standard output, where it is discarded."""
    at = list(words).index(DISCARD) if DISCARD in words else 0
    return [*words[: at - 1], *words[at + 1 :]] if at else list(words)


def checks(output: str) -> Iterator[str]:
    """Checks that IR has these functions, and in each of them these ops, in this order.

    Names of values, types and attributes may differ, and constants are left out: their order says
    nothing. IR in which a name could be taken for more than it is has no checks.
    """
    lines: list[str] = []
    for line in output.splitlines():
        if function := _FUNCTION.match(line):
            lines.append(f"CHECK-LABEL: {function['op']}{{{{.*}}}}{function['name']}")
        elif (op := _OP.match(line)) and not _CONSTANT.search(op["op"]):
            lines.append(f"CHECK: {op['op']}")
    labels = [one for one in lines if one.startswith("CHECK-LABEL")]
    if labels and len(lines) <= _MOST and len(set(labels)) == len(labels):
        yield from lines
