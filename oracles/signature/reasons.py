"""Find the error that says why a program stops on purpose.

Code that ends with `assert(false)`, `llvm_unreachable` or `throw` has often printed an error just
before, and says little itself: "incorrect fold result type", whichever op has such a fold. So what
that error is about is part of the failure. So is the op that code prints as the last thing before
it stops: `op->dump(); llvm_unreachable("unsupported")`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from oracles.signature.abnormal import AbnormalExit
from oracles.signature.diagnostics import (
    Diagnostic,
    is_follow_up,
    operation_of,
    parse_diagnostics,
    primary_error,
    says_nothing,
)
from oracles.signature.kind import Kind
from oracles.signature.outcome import Signature
from oracles.signature.templates import (
    MAX_TEMPLATE_LENGTH,
    failing_operation,
    printed_operation,
    template_of,
)
from oracles.stacks.dispatching import runs_passes

_CHECK = "succeeded("
LED_TO = " <- "
"""Between the last words of a program and what led to them, in a template."""


def with_reason(
    words: AbnormalExit, stderr: str, diagnostics: tuple[Diagnostic, ...]
) -> AbnormalExit:
    """The last words of a program with what the error before them says.

    If the program only says that it ends, that error stands for all.
    """
    if says_nothing(words.message):
        primary = primary_error(diagnostics)
        return words if primary is None else _instead_of(words, primary)
    error = _error_before(words, stderr, diagnostics) if words.on_purpose else None
    dumped = last_dumped_op(stderr[: words.at]) if words.on_purpose else ""
    if error is None:
        return replace(words, op=words.op or dumped or _announced(words.message, diagnostics))
    op = words.op or operation_of(error) or dumped
    if words.kind is not Kind.FATAL_ERROR and not words.message.startswith(_CHECK):
        return replace(words, op=op)
    # An exception, or a check of any kind of type: any error may end in it.
    template = f"{words.template}{LED_TO}{template_of(error.message)}"[:MAX_TEMPLATE_LENGTH]
    return replace(words, op=op, template=template)


def operation_before_crash(
    words: AbnormalExit, stderr: str, diagnostics: Sequence[Diagnostic], names: Sequence[str]
) -> str:
    """The op of the error before a crash that is in no pass, or ''.

    A front end that goes on with nothing, because that error kept it from making anything, crashes
    in the same function whatever the error is about. In a pass, the error may come from another
    thread.

    Args:
        names: the functions on the stack, as far as they are known.
    """
    in_pass = not any(names) or any(map(runs_passes, names))
    error = None if in_pass or words.message else _error_before(words, stderr, diagnostics)
    return operation_of(error) if error else ""


def error_about(
    signature: Signature, said: Sequence[str], diagnostics: Sequence[Diagnostic]
) -> Diagnostic | None:
    """The error that says what the last words of a program do not: why, or for which op."""
    reason = signature.template.partition(LED_TO)[2]
    name = signature.op.partition(" ")[0]
    about = signature.op if name not in " ".join(said) else ""
    for diagnostic in diagnostics:
        if diagnostic.severity != "error":
            continue
        if reason and template_of(diagnostic.message).startswith(reason):
            return diagnostic
        if about and operation_of(diagnostic) == about:
            return diagnostic
    return None


def _instead_of(words: AbnormalExit, error: Diagnostic) -> AbnormalExit:
    kind = Kind.FATAL_ERROR if words.kind is Kind.ASSERTION else words.kind
    return AbnormalExit(kind, template_of(error.message), operation_of(error), error.message)


def _error_before(
    words: AbnormalExit, stderr: str, diagnostics: Sequence[Diagnostic]
) -> Diagnostic | None:
    """The error that is the last diagnostic before the last words."""
    after = len(parse_diagnostics(stderr[words.at :]))  # there is little text left
    last = diagnostics[-1 - after] if after < len(diagnostics) else None
    return last if last and last.severity == "error" and not is_follow_up(last) else None


def _announced(message: str, diagnostics: tuple[Diagnostic, ...]) -> str:
    """The operation of an earlier error with the same message as the fatal one, or ''."""
    for item in diagnostics:
        if message and item.severity == "error" and message in item.message:
            return failing_operation(item.message, item.operation)
    return ""


_READ = 64 << 10
"""How many characters before the last words are read: an op with regions may be long."""
_RESULTS = r"%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* = "
_NAME = r"[A-Za-z_]\w*(?:\.[\w$-]+)+"
_WITH_RESULTS = re.compile(rf'\s*{_RESULTS}"?{_NAME}')
_WITHOUT_RESULTS = re.compile(rf'\s*(?:"{_NAME}"\((?:%|\) ?[\[<{{(:])|{_NAME} .*%[\w$])')
_END = re.compile(r"\s*\}")
"""How the last line of an op with regions begins."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def last_dumped_op(before: str) -> str:
    """The name of the op that a text ends with, folded; '' if it ends with anything else.

    An op with regions counts if it has results: without any, it is what encloses the op, a function
    or a module.

    >>> last_dumped_op('note\\n%1 = "a.b"(%0) : (f32) -> f32 loc("x")\\n')
    'a.b'
    >>> last_dumped_op('%0 = a.b %1 {\\n  a.yield %1\\n} : i1\\n')
    'a.b'
    """
    lines = before[-_READ:].rstrip().splitlines()
    if not lines:
        return ""
    if not _END.match(lines[-1]):
        is_op = _WITH_RESULTS.match(lines[-1]) or _WITHOUT_RESULTS.match(lines[-1])
        return printed_operation(lines[-1]) if is_op else ""
    depth = 0
    for line in reversed(lines):
        bare = _STRING.sub("", line)
        depth += bare.count("}") - bare.count("{")
        if depth <= 0:
            return printed_operation(line) if _WITH_RESULTS.match(line) else ""
    return ""
