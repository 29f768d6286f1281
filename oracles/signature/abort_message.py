"""Find the message with which a program aborts: an assertion, a fatal error, a rule of LLVM's.

That is the line of an assertion or of a fatal error, a fatal line in a log, the rule that LLVM's
verifier names, or the words of a runtime library. `abnormal` reads the same for a signature; here
they stay as people know them.

The last line of LLVM's verifiers is the same for any invalid IR (`LLVM ERROR: Broken module found,
compilation aborted!`). The rules that it breaks are the lines before, each followed by the values
concerned. Log lines are those of glog, Abseil and TensorFlow, whose letter is the severity:

    F0102 03:04:05.123456     123 a/b.cc:12] Check failed: x == y (3 vs. 4)
    2026-01-02 03:04:05.123456: F a/b.cc:12] Check failed: x == y (3 vs. 4)
"""

import re
from collections.abc import Iterable, Iterator

from oracles.rows import pattern_of, row_of
from oracles.signature.diagnostics import parse_line
from oracles.signature.templates import template_of

STOPS = pattern_of(
    (r"Assertion [`']", "triton/cast"),
    (r"UNREACHABLE executed", "spirv-return-value/issue-73285"),
    (r"LLVM ERROR: ", "llvm/cannot-select"),
    (r"^terminate called", "runtime/exception"),
    (r"^libc\+\+abi[^\n:]*: terminating ", "apple/exception"),
    (r"fatal internal error: ", "flang/check"),
    (r"Internal Compiler Error: ", "intel/segmentation-violation"),
    (r"Assertion failed: (?=.*, line \d)", "apple/cast"),
)
"""What the line with which a program stops has in any build."""
UNREACHABLE = "UNREACHABLE executed"
"""How the line of `llvm_unreachable` begins."""
_WHAT = "what():"
_OTHER_TEXT = re.compile(r"\s|[%}^#]|//")
"""How a line begins that is printed IR, an excerpt or a comment."""


def abort_message(stderr: str) -> tuple[str, ...]:
    """The line with which a program stops, and the one that says why, in their order; or nothing.

    >>> abort_message("bad rank\\nUNREACHABLE executed at a.cpp:1!\\nStack dump:\\n")
    ('bad rank', 'UNREACHABLE executed at a.cpp:1!')
    >>> abort_message("terminate called after throwing an instance of 'E'\\n  what():  no rule\\n")
    ("terminate called after throwing an instance of 'E'", 'what():  no rule')
    >>> abort_message("F0102 03:04:05.1 77 a/b.cc:12] Check failed: ok\\n    @     0x12  f()\\n")
    ('a/b.cc:12] Check failed: ok',)
    """
    lines = stderr.splitlines()
    for number, line in enumerate(lines):
        if logged := fatal_line(line):
            return (f"{logged['place']}] {logged['message']}".strip(),)
        if STOPS.search(line) is None:
            continue
        before = lines[number - 1] if number else ""
        after = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if UNREACHABLE in line and explains_unreachable(before):
            return before.strip(), line.strip()
        if is_about_broken_ir(line) and (rule := broken_rule("\n".join(lines[:number]))):
            return rule, line.strip()
        goes_on = after.startswith(_WHAT) or line.rstrip().endswith(":")
        return (line.strip(), after) if goes_on and after else (line.strip(),)
    return ()


def explains_unreachable(line: str) -> bool:
    """Whether the line before `UNREACHABLE executed` says why.

    It is not there in every case, and another line may be a diagnostic or printed IR.
    """
    return bool(line.strip()) and parse_line(line) is None and not _OTHER_TEXT.match(line)


def thrown_message(words: str) -> str:
    """What an exception says of itself, from the line that says it; '' for any other line."""
    return words.removeprefix(_WHAT).strip() if words.startswith(_WHAT) else ""


_PLACED = r"\s[^\]\n]*?(?P<place>(?P<file>[\w./\\+-]+):\d+)\] (?P<message>[^\n]*)"
_FATAL = pattern_of(
    (r"F\d{4,8} [\d:.]+", "xla/has-layout"),
    (r"\d{4}-\d\d-\d\d [\d:.]+: F", "xla/jax-jit"),
    within=f"^(?:{{rows}}){_PLACED}",
    flags=re.M,
)
_LOGGED = pattern_of(
    (r"E\d{4,8} [\d:.]+", "xla/status"),
    (r"\d{4}-\d\d-\d\d [\d:.]+: E", "xla/ret-check"),
    within=f"^(?:{{rows}}){_PLACED}",
)


def fatal_line(text: str) -> re.Match[str] | None:
    """The first fatal line, with its `place` in the source, which begins with the `file`, and its
    `message`; None if there is none.

    >>> found = fatal_line("F0102 03:04:05.1 77 a/b.cc:12] no rule\\n")
    >>> found and (found["place"], found["file"], found["message"])
    ('a/b.cc:12', 'a/b.cc', 'no rule')
    """
    # Text can be megabytes, and a plain search is far cheaper than a pattern.
    may_log = text.startswith("F") or "\nF" in text or ": F " in text
    return _FATAL.search(text) if may_log else None


def without_log_prefix(line: str) -> str:
    """The line without what a log puts before the name of the source file.

    >>> without_log_prefix("E1125 02:17:37.123456 4711 a/b.cc:12] no rule")
    'b.cc:12] no rule'
    """
    match = _LOGGED.match(line)
    if match is None:
        return line
    name = re.split(r"[/\\]", match["place"])[-1]
    return f"{name}] {match['message']}"


_BROKEN = pattern_of(
    (r"Broken (?:module|function) found", "llvm/broken-function"),
    (r"Found \d+ machine code errors", "llvm/machine-code"),
    within="(?:^|: )(?:{rows})",
)
_MACHINE_CODE = row_of(r"^\*\*\* (?P<rule>Bad machine code: .*?) \*\*\*$", "llvm/machine-code")
# An operand is printed behind its type, and everything with a name has a sign before it.
_VALUE = row_of(r"(?<!\w)[%@!#]", "llvm/immediate")
_PLACE = "in function "
_INTRINSIC = row_of(r"@(llvm(?:\.[a-z_][a-z_\d]*)+)", "llvm/broken-intrinsic")


def is_about_broken_ir(message: str) -> bool:
    """Whether the words of a fatal error only say that LLVM's verifier has rejected something.

    >>> is_about_broken_ir("Broken function found, compilation aborted!")
    True
    """
    return bool(_BROKEN.search(message))


def broken_rule(before: str) -> str:
    """The rule that LLVM IR breaks, from the text before the fatal error; '' if none is printed.

    Of several rules, the one whose template sorts first, since each function has its own.

    >>> broken_rule("Invalid bitcast\\n  %1 = bitcast float %0 to i16\\nin function f\\n")
    'Invalid bitcast'
    """
    return min(_rules(before.splitlines()), key=_template_of_rule, default=("", ""))[0]


def broken_rule_about(before: str) -> str:
    """The same, with the name of the intrinsic if the rule is one about intrinsics.

    It is printed with the values, and each intrinsic has a rule of its own.

    >>> broken_rule_about("Intrinsic has incorrect return type!\\nptr @llvm.amdgcn.wqm.f32\\n")
    'Intrinsic has incorrect return type! llvm.amdgcn.wqm.f32'
    """
    rules = _rules(before.splitlines())
    return " ".join(min(rules, key=_template_of_rule, default=("", ""))).strip()


def _template_of_rule(rule: Iterable[str]) -> str:
    return template_of(" ".join(rule))


def _rules(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each rule, and the intrinsic that it is about or ''."""
    intrinsic = ""
    for line in reversed(lines):
        if match := _MACHINE_CODE.match(line):
            yield match["rule"], ""
        elif not line or parse_line(line) is not None:
            return
        elif line[0].isalpha() and not line.startswith(_PLACE) and not _VALUE.search(line):
            rule = line.strip()
            yield rule, (intrinsic if "ntrinsic" in rule else "")
            intrinsic = ""
        elif called := _INTRINSIC.search(line):
            intrinsic = called[1]


_RUNTIME = pattern_of(
    (r"double free", "runtime/double-free"),
    (r"^[a-z_]+\(\): [a-z][^\n:(]*[a-z]$", "runtime/invalid-pointer"),
    (r"^corrupted [a-z][^\n:(]*[a-z]", "runtime/corrupted-list"),
    (r"(?<=^\*{3} )[a-z ]+ detected(?= \*{3})", "runtime/stack-smashing"),
    (r"[Pp]ure virtual(?: method called)?", "runtime/pure-virtual"),
    (r"^terminate called without an active exception", "runtime/no-active-exception"),
    (r"^Memory access fault by GPU[^\n]*", "runtime/gpu-fault"),
    (r"(?<=borting with error : )HSA_STATUS_[A-Z_]+", "runtime/gpu-queue"),
    flags=re.M,
)


def words_of_runtime(stderr: str) -> str:
    """What a runtime library says as it aborts a program, or ''.

    Only for want of a stack: which words there are for a heap that is broken depends on chance.
    """
    match = _RUNTIME.search(stderr)
    return template_of(match[0]) if match else ""
