"""What distinguishes an exception in a tool written in Python from others: words and functions.

The words are those of the last exception and of the first one that led to it. Python's own words
("list index out of range") say little, so the statement that failed is part of them, as the
condition of an assertion is in C++. The functions are those of the tool, innermost first.

Line numbers and paths are not part of it, nor what depends on how programs are nested: walking one
calls the same functions again and again. Endless recursion is known by the functions that call each
other, in whichever of them it reached the limit.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from oracles.profiles import any_of
from oracles.rows import pattern_of, row_of
from oracles.signature.kind import Kind
from oracles.signature.python_traceback import PythonException, PythonFrame, pointed_line
from oracles.signature.templates import failing_operation, template_of
from oracles.stacks.crash_stack import CrashStack
from oracles.stacks.dispatching import is_dispatching

MAX_STATEMENT_LENGTH = 200
"""The maximum number of characters of a statement; more text adds nothing."""

_DRIVER = row_of(any_of(lambda profile: profile.python_drivers), "python/value-out-of-range")
_SPECIAL = row_of(r"\w+\.__\w+__$", "tvm/no-such-global")
_GENERIC_OP = row_of(r'\s*(?:%[^=]* = )?"[\w$.-]+"\(', "python/mosaic")
_OBJECT = pattern_of(
    (r"<[A-Z]\w* \d+\(.*", "python/key-error-of-an-op"),
    (r"<[A-Z]\w*(?:\[[^\]]*\])? \w[^<>]*>", "python/key-error-of-a-value"),
)
_REPR = row_of(r"(?<![\w.])(?:[a-z_]\w*\.)*[A-Z]\w*\(", "python/key-error-of-a-type")
_RECURSION = row_of(r"(?<=maximum recursion depth exceeded)\b.*", "python/recursion")
_OF_PARSER = row_of(r"Parse(?=Error)", "python/parse-error")
_OF_VERIFIER = row_of(r"Verify(?=Exception)", "python/verify-exception")
_RAISES = row_of(r"^raise\b", "python/unknown-pass")
_PARSES = row_of(r"\w+\._*parse(?:r|_|$)", "python/parse-error")
_VERIFIES = row_of(r"\w+\.\w*verif", "python/value-out-of-range", flags=re.I)
# What a library in C++ throws is a RuntimeError, which Python itself hardly raises.
_PYTHONS_OWN = row_of(r"(?!RuntimeError$)[A-Z]\w*Error$", "circt/key-error")


def kind_of_exception(exception: PythonException) -> Kind:
    """The kind of failure. What a parser says of the input is told by the stage."""
    return Kind.VERIFIER if _OF_VERIFIER.search(exception.short_type) else Kind.OTHER_ERROR


def rejects_syntax(exception: PythonException) -> bool:
    """Whether a parser of IR says that it does not understand the input."""
    parses = any(_PARSES.match(frame.name) for frame in exception.frames)
    return "." in exception.type and parses and bool(_OF_PARSER.search(exception.short_type))


def is_in_verifier(exception: PythonException) -> bool:
    """Whether the exception is in a check of IR: of the input, or of what a pass made of it."""
    return any(_VERIFIES.match(frame.name) for one in exception.chain for frame in one.frames)


def template_of_exception(exception: PythonException) -> str:
    """The words without anything that depends on the input."""
    last, first = _template_of_one(exception), _template_of_one(exception.chain[-1])
    return last if exception.cause is None or last == first else f"{last} <- {first}"


def _template_of_one(exception: PythonException) -> str:
    words = _RECURSION.sub("", exception.words)
    template = template_of(_fold_objects(words))
    statement = _failed_statement(exception)
    return f"{template} at `{statement}`" if statement else template


def _fold_objects(words: str) -> str:
    """The words with `<object>` for objects, however they are printed.

    >>> _fold_objects("KeyError: Key(a=Int(3), b='x')")
    'KeyError: <object>'
    """
    head, colon, text = words.partition(": ")
    text = _OBJECT.sub("<object>", text)
    while (match := _REPR.search(text)) is not None:
        text = f"{text[: match.start()]}<object>{text[_closing(text, match.end()) :]}"
    return head + colon + text


def _closing(text: str, start: int) -> int:
    """The index after the parenthesis that closes one before `start`; the end if none does."""
    depth = 1
    for index in range(start, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if not depth:
            return index + 1
    return len(text)


def _failed_statement(exception: PythonException) -> str:
    """The statement of the tool in which Python itself raised the exception; '' if the tool did.

    If recursion is endless, it ends at any of the statements.
    """
    own = [frame for frame in exception.frames if not frame.in_library]
    if not own or _is_endless(exception) or not _PYTHONS_OWN.match(exception.type):
        return ""
    statement = own[0].statement
    return "" if _RAISES.search(statement) else statement[:MAX_STATEMENT_LENGTH]


def operation_of_exception(exception: PythonException) -> str:
    """The op that the words quote, or that is marked or alone below them; '' if none is."""
    lines = (pointed_line(one.notes) or _printed(one.notes) for one in exception.chain)
    return failing_operation(exception.words, next(filter(None, lines), ""))


def _printed(notes: Iterable[str]) -> str:
    """The first line that is an op in generic form, or ''."""
    return next(filter(_GENERIC_OP.match, notes), "")


def crash_of_exception(exception: PythonException) -> CrashStack:
    """The functions that identify an exception."""
    if _is_endless(exception.chain[-1]):
        return CrashStack(_cycle(exception.chain[-1].frames))
    return python_stack([frame for one in reversed(exception.chain) for frame in one.frames])


def python_stack(stack: Sequence[PythonFrame]) -> CrashStack:
    """The functions of a stack that identify a failure, given all, innermost first.

    The innermost one of the package that the program belongs to is always among them: what it uses
    may fail in any way, and is called from everywhere.
    """
    functions = _distinctive(stack)
    home = next((one.package for one in reversed(stack) if not _is_unnamed(one)), "")
    own = _distinctive([frame for frame in stack if frame.package == home])
    return CrashStack(functions, own[0] if own else "")


def _is_endless(exception: PythonException) -> bool:
    return exception.short_type == "RecursionError"


def _cycle(frames: Iterable[PythonFrame]) -> tuple[str, ...]:
    """The functions that call each other without end, in an order that does not depend on where."""
    counts = Counter(frame.name for frame in frames if not _is_unnamed(frame))
    most = max(counts.values(), default=0)
    return tuple(sorted(name for name, count in counts.items() if 2 * count > most))


def _is_unnamed(frame: PythonFrame) -> bool:
    return frame.in_library or frame.is_part


def _distinctive(frames: Sequence[PythonFrame]) -> tuple[str, ...]:
    """The names of the functions that are no drivers; of all, if they are drivers all.

    Special methods (`__init__`) bear the name of no class, so they count only if nothing else does.
    """
    names = list(dict.fromkeys(frame.name for frame in frames if not _is_unnamed(frame)))
    named = [name for name in names if not _SPECIAL.match(name)]
    return tuple([name for name in named if not _drives(name)] or named or names)


def _drives(name: str) -> bool:
    return bool(_DRIVER.fullmatch(name)) or ("::" in name and is_dispatching(name))
