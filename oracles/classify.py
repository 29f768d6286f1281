"""What a compiler's exit code and text say about the run."""

import re
from dataclasses import dataclass

from oracles.demangle import short_name
from oracles.diagnostics import Diagnostic, parse_diagnostics
from oracles.frames import Resolver, crash_frames
from oracles.kind import Kind
from oracles.normalise import printed_operation, quoted_operation, template_of
from oracles.primary import is_follow_up, primary_error
from oracles.process import End, ProcessResult

_SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}
_FATAL_SIGNALS = {*_SIGNALS, 9, 15, 24, 25, 31}
_SIGKILL, _SIGXCPU = 9, 24

# `tool: /path/File.cpp:12: void f(int): Assertion `x' failed.`
_ASSERTION = re.compile(r"^(?P<head>[^\n]*?)Assertion [`'](?P<condition>.*)' failed\.?", re.M)
_UNREACHABLE = re.compile(r"^(?:(?P<message>[^\n]+)\n)?UNREACHABLE executed(?: at [^\n]*)?", re.M)
_LLVM_ERROR = re.compile(r"^(?:.*?)LLVM ERROR: (?P<message>[^\n]*)", re.M)
_TERMINATE = re.compile(
    r"^terminate called after throwing an instance of '(?P<type>[^']*)'"
    r"(?:\n\s*what\(\):\s*(?P<what>[^\n]*))?",
    re.M,
)
_OUT_OF_MEMORY = re.compile(r"out of memory|bad_alloc|(?:cannot|can't|failed to) allocate", re.I)
_CRASH = re.compile(r"^(?:PLEASE submit a bug report|Please report issues to |Stack dump:)", re.M)
_USAGE = re.compile(
    r"^(?:[^\s:]+: )?(?P<message>(?:Unknown command line argument|for the .* option:|"
    r"Cannot find option|Not enough positional|Too many positional)[^\n]*)",
    re.M,
)
_IR_DUMP = re.compile(r"^// -----// IR Dump .*", re.M | re.S)
_OP_ERROR = re.compile(r"^'[\w.$-]+' op ")


@dataclass(frozen=True)
class Finding:
    """The parts of an outcome that one process' text gives.

    `settled` is whether a pass was certainly running, `nameless` whether there are only follow-up
    errors or none, so that the failing pass alone can name the bug.
    """

    kind: Kind
    template: str = ""
    op: str = ""
    frames: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    primary: Diagnostic | None = None
    exit_code: int | None = None
    settled: bool = True
    nameless: bool = False


def classify(result: ProcessResult, resolver: Resolver = lambda module: None) -> Finding:
    """Reads one compiler run. `resolver` gives the symbols of a library by its file name."""
    if result.end is not End.EXITED:
        kinds = {End.TIMEOUT: Kind.TIMEOUT, End.MEMORY: Kind.MEMORY, End.CANCELLED: Kind.CANCELLED}
        return Finding(kinds[result.end], diagnostics=parse_diagnostics(result.stderr))
    code = signal_code(result.exit_code)
    if code == 0:
        diagnostics = parse_diagnostics(result.stderr)
        return Finding(Kind.SUCCESS, exit_code=0, diagnostics=diagnostics)
    return _failure(result.stderr, code, resolver)


def signal_code(code: int) -> int:
    """The exit code with signals negative, whoever reported them.

    IREE's Python entry point exits with 256 - n for signal n, a shell with 128 + n.

    >>> signal_code(-11), signal_code(245), signal_code(139), signal_code(1)
    (-11, -11, -11, 1)
    """
    for offset in (256 - code, code - 128):
        if offset in _FATAL_SIGNALS:
            return -offset
    return code


def _failure(stderr: str, code: int, resolver: Resolver) -> Finding:
    diagnostics = parse_diagnostics(stderr)
    text = _abnormal_end(stderr, code)
    if text is not None:
        kind, template, op = text
        frames = crash_frames(stderr, resolver) if kind is Kind.CRASH else ()
        return Finding(kind, template, op, frames, diagnostics, exit_code=code)
    primary = primary_error(diagnostics)
    if primary is None:
        complaint = _complaint(stderr)
        return Finding(
            Kind.OTHER_ERROR,
            complaint or f"silent failure (exit {code})",
            diagnostics=diagnostics,
            exit_code=code,
            nameless=not complaint,
        )
    kind = _kind_of(primary.message)
    template = template_of(primary.message)
    follow_ups = any(is_follow_up(item) for item in diagnostics if item.severity == "error")
    return Finding(
        kind,
        template,
        quoted_operation(primary.message) or printed_operation(primary.operation),
        diagnostics=diagnostics,
        primary=primary,
        exit_code=code,
        settled=follow_ups or kind in (Kind.LEGALIZATION, Kind.BUFFERIZATION),
        nameless=is_follow_up(primary),
    )


def _abnormal_end(stderr: str, code: int) -> tuple[Kind, str, str] | None:
    """(kind, template, op) of a process that did not end in an orderly way."""
    # Standard error can be megabytes, and a plain search is far cheaper than a pattern.
    if "Assertion " in stderr and (match := _ASSERTION.search(stderr)):
        return Kind.ASSERTION, template_of(match["condition"]) + _where(match["head"]), ""
    if "UNREACHABLE executed" in stderr and (match := _UNREACHABLE.search(stderr)):
        return Kind.ASSERTION, template_of(match["message"] or "unreachable executed"), ""
    if "LLVM ERROR: " in stderr and (match := _LLVM_ERROR.search(stderr)):
        message = match["message"]
        kind = Kind.MEMORY if _OUT_OF_MEMORY.search(message) else Kind.FATAL_ERROR
        return kind, template_of(message), quoted_operation(message)
    if "terminate called" in stderr and (match := _TERMINATE.search(stderr)):
        thrown = " ".join(filter(None, (match["type"], match["what"])))
        kind = Kind.MEMORY if _OUT_OF_MEMORY.search(thrown) else Kind.FATAL_ERROR
        return kind, template_of(thrown), ""
    if code == -_SIGKILL:  # not by us: the kernel, short of memory
        return Kind.MEMORY, "", ""
    if code == -_SIGXCPU:
        return Kind.TIMEOUT, "", ""
    if code < 0 or _CRASH.search(stderr):
        return Kind.CRASH, _SIGNALS.get(-code, f"exit {code}"), ""
    return None


def _where(head: str) -> str:
    """` in function` from what stands before an assertion."""
    function = re.sub(r"\s*\[with .*\]", "", head).strip().rstrip(":").split(": ")[-1]
    name = short_name(function)
    is_function = "(" in function and re.fullmatch(r"[\w:~]+(?:operator\S+)?", name)
    return f" in {name}" if is_function else ""


def _kind_of(message: str) -> Kind:
    if re.search(r"\bfailed to legalize\b", message):
        return Kind.LEGALIZATION
    if re.search(r"\bbufferiz", message):
        return Kind.BUFFERIZATION
    if _OP_ERROR.match(message):
        return Kind.VERIFIER
    return Kind.OTHER_ERROR


def _complaint(stderr: str) -> str:
    """The template of a message that is no diagnostic: about flags, or the last line."""
    if match := _USAGE.search(stderr):
        return match["message"].split("  Try: ")[0]  # names a flag, nothing of the input
    lines = [line for line in _IR_DUMP.sub("", stderr).splitlines() if line.strip()]
    return template_of(lines[-1]) if lines else ""
