"""Read the final message of a process that exited abnormally.

The messages are those of assertions, `llvm_unreachable` and fatal errors, for any build of the
compiler.

A sanitizer (ASan, MSan, TSan, UBSan) that may go on after a report (`halt_on_error=0`, and UBSan by
default) reports whatever else it finds, on any input. If a report ends the program, it is the last
one. A race never ends it, so of races the first report counts: the others may follow from it.
"""

import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace

from oracles.profiles import any_of
from oracles.rows import pattern_of, row_of
from oracles.signature.abort_message import (
    broken_rule_about,
    explains_unreachable,
    fatal_line,
    is_about_broken_ir,
)
from oracles.signature.diagnostics import parse_diagnostics
from oracles.signature.kind import Kind
from oracles.signature.templates import failing_operation, selection_node, template_of
from oracles.stacks.function_names import short_name

MAX_CONDITION_LENGTH = 300
"""The maximum number of characters of an asserted condition."""

SIGNALS = {
    4: "SIGILL",
    5: "SIGTRAP",
    6: "SIGABRT",
    7: "SIGSEGV",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
}
"""The name of a signal in signatures and reports.

A SIGBUS is a SIGSEGV: which of them a wild pointer gets depends on its value and on the register.
"""
FATAL_SIGNALS = frozenset({*SIGNALS, 15, 24, 25, 31})
"""Signals that terminate a compiler."""
_SIGXCPU = 24
_BY_NAME = {
    name: number
    for number in SIGNALS
    for name in (signal.Signals(number).name, signal.strsignal(number) or "")
}
"""Signals as programs and shells call them."""
_ENDED = pattern_of(
    (rf"(?P<name>{'|'.join(filter(None, _BY_NAME))})", "shells/bash"),
    (r"signal (?P<signal>\d+)", "shells/xargs"),
    (r"exit(?:ed with)?(?: code| status)?[ :=]+(?P<code>-?\d+)", "shells/python"),
    (r"Error (?P<error>\d+)", "shells/make"),
    within=r"\b(?:{rows})\b",
)

_ASSERTION = row_of(
    r"^(?P<head>[^\n]*?)Assertion [`'](?P<condition>.*)' failed\.?", "triton/cast", flags=re.M
)
_BSD = "Assertion failed: "
_ASSERTION_BSD = pattern_of(
    (r", function (?P<function>[^\n,]*)", "apple/cast"),
    within=r"Assertion failed: (?P<condition>[^\n]*?)(?:{rows})?, file (?P<file>[^\n]*?), line \d+",
)
_ASSERTION_GOOGLE = row_of(
    r"^assert\.h assertion failed at [^\n]*?:\d+ in (?P<head>[^\n]*?\)[^\n]*?): "
    r"(?P<condition>[^\n]*)",
    "google/assert-h",
    flags=re.M,
)
_NEVER = pattern_of(
    (r"(?:false|0)\b", "mlir/fold-result-type"),
    (r"succeeded\( ?[\w:]*verify", "apple/invalid-memref"),
)
"""How a condition begins that does not hold in any case, or that says nothing about what to check.

Invariants of types and attributes are of the latter kind.
"""
_BINDINGS = row_of(r"\s*\[(?:with )?(?P<bindings>\w+ = .*)\]:?\s*$", "triton/cast")
_UNREACHABLE = row_of(
    r"^(?:(?P<message>[^\n]+)\n)?UNREACHABLE executed(?: at (?P<file>[^\n]*?):\d+)?",
    "spirv-return-value/issue-73285",
    flags=re.M,
)
_FATAL = pattern_of(
    (r"LLVM ERROR: ", "llvm/cannot-select"),
    (r"fatal error: error in backend: ", "llvm/error-in-backend"),
    within=r"^(?:.*?)(?:{rows})(?P<message>[^\n]*)",
    flags=re.M,
)
_OF_FATAL = ("LLVM ERROR: ", "error in backend: ")
_TERMINATE = pattern_of(
    (
        r"^terminate called after throwing an instance of '(?P<type>[^']*)'"
        r"(?:\n\s*what\(\):\s*(?P<what>[^\n]*))?",
        "runtime/exception",
    ),
    (
        r"^libc\+\+abi[^\n:]*: terminating (?:due to|with) uncaught exception of type "
        r"(?P<libcxx_type>(?:[^\n:]|::)+)(?:: (?P<libcxx_what>[^\n]*))?",
        "apple/exception",
    ),
    flags=re.M,
)
_INTERNAL_ERROR = row_of(
    r"^(?:[\w.-]+: )?fatal internal error: "
    r"CHECK\((?P<condition>[^\n]*)\) failed at (?P<file>[^\n]*)\(\d+\)",
    "flang/check",
    flags=re.M,
)
_OF_COMPILER = "Internal Compiler Error: "
_ILLEGAL_NODE = row_of(r"[A-Z]\w+ (?:Op )?#\d+: (?P<node>t\d+: .*)", "llvm/split-node")
_LONGEST_NODE = 4 << 10
_COMPILER_ERROR = row_of(
    r"^(?:[^\n]*?: )?Internal Compiler Error: (?P<signal>Segmentation violation)",
    "intel/segmentation-violation",
    flags=re.M,
)
_COMPARED = row_of(
    r"(?<=[\w)]) \((?:[^()\n]|\([^()\n]*\))* vs\. (?:[^()\n]|\([^()\n]*\))*\)", "xla/buffer"
)
# Registers, channels or shared memory that a target has too few of are no memory of the machine.
_OUT_OF_MEMORY = pattern_of(
    (r"out of (?:host )?memory\b", "llvm/out-of-memory"),
    (r"bad_alloc", "runtime/bad-alloc"),
    flags=re.I,
)
_EXCEPTION = row_of(
    r"^(?P<name>Exception Code: 0x[0-9A-F]{8})$", "windows/exception-code", flags=re.M
)
_CRASH = pattern_of(
    ("Stack dump:", "windows/kernelbase"),
    within=f"^(?:{{rows}}|{any_of(lambda profile: profile.crash_banners)})",
    flags=re.M,
)
# A leak does not end a program: it shows at the end of any run.
# A word that a path begins with is not part of what they report.
_SUMMARY = row_of(
    r"^SUMMARY: (?P<tool>\w+Sanitizer): "
    r"(?P<what>[A-Z]+\b|[a-zA-Z][a-z-]*(?: [a-z-]+(?=\s|$))*)",
    "sanitizers/use-after-free",
    flags=re.M,
)
_BEGIN = pattern_of(
    (r"(?P<path>[^\n]*?):\d+:\d+: runtime error: (?P<message>[^\n]*)", "sanitizers/undefined"),
    (r"==\d+==ERROR: ", "sanitizers/two-reports"),
    within="^(?:{rows})",
    flags=re.M,
)
_OF_RACES = "ThreadSanitizer"
_VALGRIND = row_of(
    r"^==\d+== (?P<words>[A-Z][^\n]*)\n==\d+== {4}at 0x", "sanitizers/valgrind", flags=re.M
)
"""What valgrind's memcheck finds first; what follows may come from it."""
_VALUE = pattern_of(
    (r"-?\b\d[\d.]*(?:e[+-]?\d+)?\b", "sanitizers/undefined"),
    within=r"(?P<quoted>'[^'\n]*')|(?:{rows})",
)


@dataclass(frozen=True)
class AbnormalReport:
    """One report: `words` say what is wrong, `path` in which source if only that is known.

    It is at `start` to `end` of the text.
    """

    tool: str
    words: str
    path: str
    start: int
    end: int

    @property
    def is_undefined_behavior(self) -> bool:
        """Whether it is about undefined behavior, after which a program may go on."""
        return self.tool.startswith("Undefined") and bool(self.path)


@dataclass(frozen=True)
class AbnormalExit:
    """The final message of a process: `message` as printed, `template` for a signature.

    `at` is where it begins in the output, and its stack is not before `stack_at`. If it is
    `on_purpose`, the program stops whatever the case, so that an error before the message may say
    why.
    """

    kind: Kind
    template: str = ""
    op: str = ""
    message: str = ""
    at: int = 0
    on_purpose: bool = False
    stack_at: int = 0


def abnormal_exit(stderr: str, code: int) -> AbnormalExit | None:
    """The message of a process that exited with `code` (negative: a signal); None if normal."""
    # Standard error can be megabytes, and a plain search is far cheaper than a pattern.
    if "ssertion " in stderr and (words := _assertion(stderr)):
        return words
    if "UNREACHABLE executed" in stderr and (match := _UNREACHABLE.search(stderr)):
        return _unreachable(match)
    if any(words in stderr for words in _OF_FATAL) and (match := _FATAL.search(stderr)):
        message = match["message"]
        if is_about_broken_ir(message):
            message = broken_rule_about(stderr[: match.start()]) or message
        elif node := _node_before(stderr[: match.start()]):
            message = f"{message} {node}"
        return _fatal(_completed(message, stderr[match.end() :]))
    if "terminat" in stderr and (match := _TERMINATE.search(stderr)):
        thrown = " ".join(filter(None, match.groups()))
        return replace(_fatal(thrown), at=match.start(), on_purpose=True)
    if "fatal internal error: " in stderr and (match := _INTERNAL_ERROR.search(stderr)):
        asserted = f"{match['condition']} at {_file(match['file'])}"
        return AbnormalExit(Kind.ASSERTION, asserted, "", asserted)
    if _OF_COMPILER in stderr and (match := _COMPILER_ERROR.search(stderr)):
        return AbnormalExit(Kind.CRASH, match["signal"], "", match["signal"], match.start())
    if match := fatal_line(stderr):
        return _stopped(_COMPARED.sub("", match["message"]), match["file"])
    report = fatal_report(stderr)
    if report is not None and not _went_on(report, stderr, code):
        return _sanitized(report)
    if code == -_SIGXCPU:
        return AbnormalExit(Kind.TIMEOUT)
    banner = _CRASH.search(stderr)
    if code < 0 or banner:
        exception = _EXCEPTION.search(stderr)
        end = exception["name"] if exception else f"exit {code}"
        at = banner.start() if banner else len(stderr)
        went_on = report.end if report is not None else 0
        return AbnormalExit(Kind.CRASH, SIGNALS.get(-code, end), at=at, stack_at=went_on)
    return None


def told_exit_code(log: str) -> int | None:
    """The exit code that a log tells last, negative for a signal; None if it tells none.

    >>> told_exit_code("Segmentation fault (core dumped)"), told_exit_code("make: *** Error 134")
    (-11, 134)
    """
    code = None
    for told in _ENDED.finditer(log):
        said = told[group := told.lastgroup or "name"]
        number = _BY_NAME[said] if group == "name" else int(said)
        code = -number if group in ("name", "signal") else number
    return code


def has_banner(text: str) -> bool:
    """Whether a line begins as that of a program, or of its handler of signals, which crashes.

    An assertion or fatal error is followed by one. Its words alone may be quoted anywhere.
    """
    return _CRASH.search(text) is not None


def _assertion(stderr: str) -> AbnormalExit | None:
    """The parsed assertion. All of its condition identifies the bug: it is compiler source text."""
    where = ""
    bound: dict[str, str] = {}
    if match := _ASSERTION.search(stderr):
        where, bound = _where(match["head"])
    elif match := _first_in_a_line(_BSD, _ASSERTION_BSD, stderr):
        # Without its class: any lambda is an `operator()`.
        function = match["function"] or ""
        where = f" in {short_name(function)}" if function else ""
        where += f" at {_file(match['file'])}"
    elif match := _ASSERTION_GOOGLE.search(stderr):
        where, bound = _where(match["head"])
    else:
        return None
    condition = re.sub(r"\s+", " ", match["condition"]).strip()[:MAX_CONDITION_LENGTH]
    condition = _without_parentheses(condition)
    never_holds = _NEVER.match(condition) is not None
    template = _with_arguments(condition, bound) + where
    return AbnormalExit(Kind.ASSERTION, template, "", condition + where, match.start(), never_holds)


def _first_in_a_line(words: str, pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first match that begins with the first such words of a line.

    To search for it takes forever in a line that has them many times.
    """
    at = text.find(words)
    while at >= 0:
        if match := pattern.match(text, at):
            return match
        end = text.find("\n", at)
        at = text.find(words, end) if end >= 0 else -1
    return None


def _without_parentheses(condition: str) -> str:
    """A condition without those that BSD's `assert` puts around all of it."""
    depth = 0
    for index, char in enumerate(condition):
        depth += (char == "(") - (char == ")")
        if not depth:
            return condition[1:-1] if index and index == len(condition) - 1 else condition
    return condition


def _unreachable(match: re.Match[str]) -> AbnormalExit:
    message, at = match["message"] or "", match.start()
    if not explains_unreachable(message):
        message, at = "", max(at, match.end("message"))
    where = f" at {_file(match['file'])}" if match["file"] else ""
    words = (message or "unreachable executed").strip()
    template = template_of(words) + where
    return AbnormalExit(Kind.ASSERTION, template, "", words + where, at, on_purpose=True)


def _fatal(message: str) -> AbnormalExit:
    """What a program says that gives up, in whatever form: it may have run out of memory."""
    kind = Kind.MEMORY if _OUT_OF_MEMORY.search(message) else Kind.FATAL_ERROR
    return AbnormalExit(kind, template_of(message), failing_operation(message, ""), message)


def _node_before(text: str) -> str:
    """The node that a text ends with if LLVM could not make it legal.

    The fatal error below says what is wrong, but not with which node.
    """
    line = text[-_LONGEST_NODE:].rstrip().rpartition("\n")[2]
    match = _ILLEGAL_NODE.match(line)
    return selection_node(match["node"]) if match else ""


def _completed(message: str, after: str) -> str:
    """The message with the next line if it ends in a colon."""
    following = after.lstrip().partition("\n")[0]
    return f"{message} {following}" if message.endswith(":") else message


def _stopped(message: str, file: str) -> AbnormalExit:
    """What a program says that stops itself, with the file of its source that says so."""
    where = f" at {_file(file)}"
    return AbnormalExit(Kind.ASSERTION, template_of(message) + where, "", message + where)


def _sanitized(report: AbnormalReport) -> AbnormalExit:
    """What a sanitizer reports; its stack says where."""
    words = f"{report.tool}: {report.words}"
    if report.path:
        words += f" at {_file(report.path)}"
        template = without_values(words)[:MAX_CONDITION_LENGTH]
    else:
        template = template_of(words)
    return AbnormalExit(Kind.CRASH, template, "", words, stack_at=report.start)


def _went_on(report: AbnormalReport, stderr: str, code: int) -> bool:
    """Whether undefined behavior did not end a program: an error of its own follows, or a fault.

    A program that is built to stop at undefined behavior is ended by the sanitizer.
    """
    if not report.is_undefined_behavior:
        return False
    after = stderr[report.end :]
    faulted = code < 0 and SIGNALS.get(-code) not in ("SIGABRT", "SIGILL", "SIGTRAP")
    return (faulted and _CRASH.search(after) is not None) or any(
        one.severity == "error" for one in parse_diagnostics(after)
    )


def _where(head: str) -> tuple[str, dict[str, str]]:
    """` in function [int]` and the template arguments by name, from the text before an assertion.

    Which parameters a function has, and how they are called, is a matter of the release.
    """
    bindings = _BINDINGS.search(head)
    function = head[: bindings.start()] if bindings else head
    function = function.strip().rstrip(":").split(": ")[-1]
    name = short_name(function).partition("::lambda")[0]
    bound = _bound(bindings["bindings"]) if bindings else {}
    if "(" not in function or not re.fullmatch(r"[\w:~]+(?:operator\S+)?", name):
        return "", bound
    single = [argument for argument in bound.values() if argument[:1] not in ("<", "{")]
    first = next(iter(single or bound.values()), "")
    return f" in {name}" + (f" [{first}]" if first else ""), bound


def _bound(bindings: str) -> dict[str, str]:
    """The template arguments by the name of their parameter, as GCC and Clang print them alike.

    >>> _bound("Args = {long&, int}; T = a::B*; U = c"), _bound("T = a::B *, U = c, Args = <int>")
    ({'Args': '{long&, int}', 'T': 'a::B*', 'U': 'c'}, {'T': 'a::B*', 'U': 'c', 'Args': '<int>'})
    """
    arguments, depth, start = {}, 0, 0
    for index, char in enumerate(bindings + ","):
        depth += (char in "<([{") - (char in ">)]}")
        if char in ",;" and not depth:
            name, _, argument = bindings[start:index].strip().partition(" = ")
            arguments[name] = re.sub(r" (?=[*&])", "", argument)
            start = index + 1
    return arguments


def _with_arguments(condition: str, bound: Mapping[str, str]) -> str:
    """A condition with template arguments in place of parameters, outside of its strings.

    >>> _with_arguments('isa<To>(Val) && "cast<To>()"', {"To": "a::B"})
    'isa<a::B>(Val) && "cast<To>()"'
    """
    if not bound:
        return condition
    names = "|".join(map(re.escape, bound))
    pattern = re.compile(rf'"(?:[^"\\]|\\.)*"|(?<![\w.:>])(?P<name>{names})(?!\w)')
    return pattern.sub(lambda match: bound.get(match["name"] or "", match[0]), condition)


def _file(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def fatal_report(text: str) -> AbnormalReport | None:
    """The report in a text that tells of the end of a program, if there is one.

    >>> found = fatal_report("SUMMARY: ASanitizer: a-b /x.cpp:1\\nSUMMARY: BSanitizer: c /y.cpp\\n")
    >>> found and (found.tool, found.words)
    ('BSanitizer', 'c')
    """
    summaries = [*_SUMMARY.finditer(text)] if "SUMMARY: " in text else []
    if not summaries:
        first = _VALGRIND.search(text) if "==    at 0x" in text else None
        return first and AbnormalReport("valgrind", first["words"], "", first.start(), first.end())
    if summaries[-1]["tool"] == _OF_RACES:
        summaries = [next(one for one in summaries if one["tool"] == _OF_RACES)]
    fatal = summaries[-1]
    start = summaries[-2].end() if len(summaries) > 1 else 0
    words, path = fatal["what"], ""
    for begin in _BEGIN.finditer(text, start, fatal.start()):
        # Undefined behavior is often without a stack. It quotes types of the compiler's source.
        if begin["path"] is None or fatal["tool"].startswith("Undefined"):
            words, path = begin["message"] or fatal["what"], begin["path"] or ""
            start = begin.start()
    return AbnormalReport(fatal["tool"], words, path, start, fatal.end())


def without_values(words: str) -> str:
    """What undefined behavior is about, without the values of this run.

    >>> without_values("shift exponent 77 is too large for 64-bit type 'int32_t'")
    "shift exponent N is too large for N-bit type 'int32_t'"
    """
    return _VALUE.sub(lambda value: value["quoted"] or "N", words)
