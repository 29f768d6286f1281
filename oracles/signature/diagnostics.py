"""Read the diagnostics of MLIR, LLVM and linkers, and pick the one that identifies the bug.

LLD for ELF, COFF, Mach-O and WebAssembly, the GNU, Apple and Microsoft linkers, and NVIDIA's
assembler each use their own wording. The symbol distinguishes one such bug from another.

A failing dispatch prints its real error and then one or more follow-ups ("failed to run translation
of source executable …" in IREE). Dispatches fail in parallel, so their order is not deterministic.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from oracles.profiles import any_of
from oracles.rows import pattern_of, row_of
from oracles.signature.templates import (
    failing_operation,
    printed_operation,
    quoted_operation,
    template_of,
)
from oracles.signature.unconverted_ops import uses_result

_MENTIONS = (
    "ndefined",
    "Symbols not found",
    "nresolved",
    "referenced from:",
    "multiple definition",
)
_UNDEFINED = pattern_of(
    (r": error: undefined (?:hidden |internal )?symbol: (?P<lld>\S.*)$", "linkers/lld-hidden"),
    (r": error: \S+: undefined symbol: (?P<wasm>\S.*)$", "linkers/wasm-undefined"),
    (r": undefined reference to `(?P<gnu>[^']+)'", "linkers/gnu-undefined"),
    (r": undefined reference to '(?P<gold>[^']+)'", "linkers/gold-undefined"),
    (r"^\s+\"_?(?P<apple>[^\"]+)\", referenced from:$", "apple/undefined"),
    (r": unresolved external symbol \"(?P<quoted>[^\"]*)\"", "windows/undefined-quoted"),
    (r": unresolved external symbol (?P<microsoft>[^\s\"]+)", "windows/undefined"),
    (r"^JIT session error: Symbols not found: \[ ?(?P<jit>[^\]\n]*?) ?\]", "linkers/jit"),
    (r": Unresolved extern function '(?P<nvidia>[^']+)'", "nvidia/unresolved"),
)
_DUPLICATE = pattern_of(
    (r": multiple definition of `(?P<gnu>[^']+)'", "linkers/gnu-multiple"),
    (r": multiple definition of '(?P<gold>[^']+)'", "linkers/gold-multiple"),
)


def symbol_error(line: str) -> str | None:
    """`undefined symbol: f` or `duplicate symbol: f` if the line reports that, else None.

    >>> symbol_error("ld.lld: error: undefined hidden symbol: __ocml_exp_f32")
    'undefined symbol: __ocml_exp_f32'
    """
    if not any(word in line for word in _MENTIONS):
        return None  # cheap: standard error can be megabytes of printed IR
    for pattern, words in ((_UNDEFINED, "undefined"), (_DUPLICATE, "duplicate")):
        if match := pattern.search(line):
            symbol = next(group for group in match.groups() if group is not None).strip('" ')
            if match.groupdict().get("jit"):
                symbol = min(symbol.split(", "))  # in no particular order
            return f"{words} symbol: {symbol}"
    return None


LINKER = "ld"
"""The `file` of a diagnostic from any linker about a symbol."""

MAX_OPERATION_LENGTH = 4 << 10
"""The maximum length of a diagnostic's printed operation, which can contain a whole module."""

MAX_DIAGNOSTICS = 200
"""The maximum number of errors kept, and that of warnings and remarks; more of them add nothing."""

MAX_NOTES = 20
"""The maximum number of notes kept per diagnostic."""

_SEVERITIES = ("error:", "warning:", "note:", "remark:")
_SEVERITY = r"(?P<severity>error|warning|note|remark)"

_MESSAGE = rf"{_SEVERITY}: ?(?P<message>.*)"
_LOCATED = pattern_of(
    (r"loc\(.*?\)", "triton/pack-elements"),
    (r"[^\s:'\"][^:\n]*?", "circt/cycle"),
    within=r"(?P<file>(?:{rows}))(?::(?P<line>\d+))?(?::(?P<column>\d+))?: (?:fatal )?" + _MESSAGE,
)
_NAMED_TOOL = pattern_of(
    (r"[\w.+/-]+: (?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): ", "llvm/named-tool"),
    within="{rows}" + _MESSAGE,
)
_SPLIT = pattern_of(
    (
        r"within split at (?P<file>[^\n]*?):(?P<start>\d+) offset :(?P<line>\d+):(?P<column>\d+): ",
        "mlir/split-input-file",
    ),
    within="{rows}" + _MESSAGE,
)
_LLVM = pattern_of(
    (r"(?P<file>[^\s:]+):(?P<line>\d+)(?::(?P<column>\d+))?", "topk-range/expert-3.13.0"),
    within=f"{_SEVERITY}: {{rows}}: (?P<message>.*)",
)
_ANYWHERE = (
    r"(?:[^\s:]+:\d+:\d+|unknown|loc\([^\n]*?\)|\"[^\n]*?\"(?:\([^\n]*?\))?"
    r"|callsite\([^\n]*?\)|fused(?:<[^\n]*?>)?\[[^\n]*?\])"
)
_BOUND = pattern_of(
    (rf"(?P<place>{_ANYWHERE})", "circt/verify"),
    within=f"{_SEVERITY}: {{rows}}: (?P<message>.*)",
)
_BOUND_NOTE = row_of(rf" note: {_ANYWHERE}: ", "circt/invalid-op")
_PLACED = row_of(r"loc\([^\n]*?\): (?=\S)", "tensorflow/cast")
_PLACE = row_of(r"\"(?P<file>[^\s\":]+)\":(?P<line>\d+):(?P<column>\d+)", "flang/not-implemented")
_BARE = row_of(_SEVERITY + r": (?P<message>.*)", "flang/semantic-errors")
_ASSEMBLER = pattern_of(
    (r"\S+, line \d+; ", "nvidia/feature"),
    within=r"(?P<file>ptxas) (?:{rows})?(?P<severity>error|fatal|warning) *: (?P<message>.*)",
)
_OPERATION = "see current operation:"


@dataclass(frozen=True)
class Diagnostic:
    """One error, warning or remark.

    `file` is "" and `line` 0 if the compiler reports no location. `operation` is the printed
    operation of the "see current operation" note, truncated; `called_from` are the (line, column)
    of the "called from" notes, innermost first; `notes` the first lines of all other notes.
    """

    file: str
    line: int
    column: int
    severity: str
    message: str
    operation: str = ""
    called_from: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A JSON-compatible dictionary that `fields_of` reads back."""
        places = [list(place) for place in self.called_from]
        return asdict(self) | {"called_from": places, "notes": list(self.notes)}


def parse_diagnostics(stderr: str) -> tuple[Diagnostic, ...]:
    """All diagnostics of `stderr` in order; notes are attached to the diagnostic they belong to."""
    diagnostics: list[Diagnostic] = []
    room = {True: MAX_DIAGNOSTICS, False: MAX_DIAGNOSTICS}
    last_is_kept = False
    for head, body in _blocks(stderr.splitlines()):
        head = _continued(head, _without_snippet(body))
        if head.severity != "note":
            is_error = head.severity == "error"
            if not any(room.values()):
                break
            last_is_kept = room[is_error] > 0
            if last_is_kept:
                room[is_error] -= 1
                diagnostics.append(head)
        elif last_is_kept:
            diagnostics[-1] = _with_note(diagnostics[-1], head, body)
    return tuple(_continued(one, one.notes) for one in diagnostics)


def _continued(head: Diagnostic, lines: Iterable[str]) -> Diagnostic:
    """The same with the first of these lines if the message is not complete: `the rule is:`."""
    if not head.message.endswith(":") or head.message.startswith(_OPERATION):
        return head
    rest = next((line.strip() for line in lines if line.strip()), "")
    return replace(head, message=f"{head.message} {rest}".strip())


def parse_line(line: str) -> Diagnostic | None:
    """The diagnostic that starts on this line, or None."""
    if symbol := symbol_error(line):
        return Diagnostic(LINKER, 0, 0, "error", symbol)
    if assembler := _ASSEMBLER.match(line):
        severity = assembler["severity"].replace("fatal", "error")
        return Diagnostic(assembler["file"], 0, 0, severity, assembler["message"].strip())
    if _BOUND_NOTE.match(line):
        line = line.strip()
    if line[:1].isspace() or not any(word in line for word in _SEVERITIES):
        return None  # cheap: standard error can be megabytes of printed IR
    patterns = (_LLVM, _BOUND, _BARE, _LOCATED, _NAMED_TOOL, _SPLIT)
    match = next(filter(None, (pattern.match(line) for pattern in patterns)), None)
    if match is None:
        return None
    groups = match.groupdict()
    if place := _PLACE.search(groups.get("place") or ""):
        groups |= place.groupdict()
    file = groups.get("file") or ""
    return Diagnostic(
        file="" if file == "<unknown>" else file,
        line=int(groups.get("line") or 0) + max(0, int(groups.get("start") or 0) - 1),
        column=int(groups.get("column") or 0),
        severity=groups["severity"],
        message=_message(groups["severity"], groups["message"].strip()),
    )


def _message(severity: str, text: str) -> str:
    placed = _PLACED.match(text) if severity == "error" else None
    return text[placed.end() :] if placed else text


def _blocks(lines: Iterable[str]) -> Iterator[tuple[Diagnostic, list[str]]]:
    """Split the text at the first lines of diagnostics; lines before the first are dropped."""
    head: Diagnostic | None = None
    body: list[str] = []
    for line in lines:
        start = parse_line(line)
        if start is None:
            body.append(line)
            continue
        if head is not None:
            yield head, body
        head, body = start, []
    if head is not None:
        yield head, body


def _with_note(diagnostic: Diagnostic, note: Diagnostic, body: list[str]) -> Diagnostic:
    if note.message.startswith("called from"):
        return replace(diagnostic, called_from=(*diagnostic.called_from, (note.line, note.column)))
    if note.message.startswith(_OPERATION) and not diagnostic.operation:
        operation = _printed_operation(note.message.removeprefix(_OPERATION).strip(), body)
        return replace(diagnostic, operation=operation)
    if not note.message.startswith(_OPERATION) and len(diagnostic.notes) < MAX_NOTES:
        return replace(diagnostic, notes=(*diagnostic.notes, note.message[:MAX_OPERATION_LENGTH]))
    return diagnostic


def _printed_operation(first: str, body: list[str]) -> str:
    """The operation without the quoted source line and caret that may follow it."""
    if first and not first.endswith("({"):
        return first[:MAX_OPERATION_LENGTH]
    lines = [first] if first else []
    lines += _without_snippet(body)
    return "\n".join(lines)[:MAX_OPERATION_LENGTH].strip()


def _without_snippet(body: list[str]) -> list[str]:
    for index, line in enumerate(body):
        if line.strip() == "^" and index > 0:
            return body[: index - 1]
        if line.startswith("// -----// "):  # an IR dump
            return body[:index]
    return body


_FOLLOW_UP = pattern_of(
    (r"^ld returned \d+ exit status", "linkers/gnu-undefined"),
    (r"^linker command failed", "apple/undefined"),
    (
        r"^Failures have been detected while processing an MLIR pass pipeline",
        "test-other-pass/ours",
    ),
    (r"lld execute fail", "topk-range/expert-3.13.0"),
    (r"^aborting$", "flang/not-implemented"),
    (r"^Ptx assembly aborted due to errors$", "nvidia/instruction-types"),
    within=f"{any_of(lambda profile: profile.follow_ups)}|(?:{{rows}})",
)
_HEADING = row_of(r"^Semantic errors in ", "flang/semantic-errors")
_TOOL = pattern_of(
    (r"[\w-]*lld", "linkers/lld-emulation"),
    ("ld", "nvidia/unresolved"),
    ("ptxas", "nvidia/shared-memory"),
    within=r"(?:^|/)(?:{rows})(?:-\d+)?$",
)


_CONTAINER = "builtin.module"
"""The op that a compiler prints for an error about ops that only its notes name."""
_CAST = "builtin.unrealized_conversion_cast"
_OF_ARGUMENT = row_of(rf'[^=]* = "{_CAST}"\(%arg\d+\)', "memref-boundary/memref-arg-3.13.0")
_BACK = "source materialization"
_LIVE_USER = "see existing live user here:"


def operation_of(error: Diagnostic) -> str:
    """The op that an error is about, or ''.

    If neither its words nor the op that is printed with it say so, its notes may: "one or more
    illegal operations were found", and a note for each. Of several, the one that sorts first.
    A type that is converted back (a source materialization) is so for the op that still uses it,
    unless it is that of an argument of a function, where the function is at fault. In the other
    direction, its users are converted and not at fault.
    """
    op = failing_operation(error.message, error.operation)
    if op.startswith(_CAST) and _BACK in error.message and (user := _live_user(error)):
        types = op.removeprefix(_CAST).strip(' "')
        return f'{_CAST} "{types} in {user}"'
    if op not in ("", _CONTAINER) or quoted_operation(error.message):
        return op
    if user := _live_user(error):
        return user
    return min(filter(None, map(quoted_operation, error.notes)), default=op)


def _live_user(error: Diagnostic) -> str:
    """The op that uses what an error is about, or ''; another cast says nothing."""
    notes = (note for note in error.notes if note.startswith(_LIVE_USER))
    if _OF_ARGUMENT.match(error.operation):
        return ""
    users = (printed_operation(note.removeprefix(_LIVE_USER)) for note in notes)
    return next((user for user in users if user != _CAST), "")


def is_follow_up(diagnostic: Diagnostic) -> bool:
    """Whether an error only reports that an earlier step failed."""
    return says_nothing(diagnostic.message)


def is_linker_error(diagnostic: Diagnostic) -> bool:
    """Whether the error comes from a linker or another tool at the end of code generation."""
    if is_follow_up(diagnostic) or diagnostic.line:
        return False
    return bool(_TOOL.search(diagnostic.file))


def says_nothing(message: str) -> bool:
    """Whether a message, or its template, is only that of a follow-up."""
    return bool(_FOLLOW_UP.search(message))


def primary_error(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """The error that identifies the bug, or None if there is no error.

    Of those of several dispatches, the one with the least template is taken, so that the order of
    dispatches does not matter. Linker errors count only if there is no other error, because the
    linker may miss what was not generated; follow-ups count only if there is not even a linker
    error.
    """
    told = [item for item in diagnostics if item.severity == "error"]
    errors = [error for error in told if not _HEADING.match(error.message)] or told
    linking = [error for error in errors if is_linker_error(error)]
    chosen = first_errors(errors) or linking or errors
    return min(chosen, key=lambda error: template_of(error.message), default=None)


def first_errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The first real error of each dispatch: each of them may be a bug of its own.

    An op whose operand is the result of another op with an error only follows that one.
    """
    dispatches: list[list[Diagnostic]] = []
    fresh = True
    for error in (item for item in diagnostics if item.severity == "error"):
        real = not is_follow_up(error) and not is_linker_error(error)
        if real:
            dispatches += [[]] if fresh else []
            dispatches[-1].append(error)
        fresh = not real
    return [next(filter(partial(_leads, errors), errors), errors[0]) for errors in dispatches]


def _leads(errors: Sequence[Diagnostic], error: Diagnostic) -> bool:
    others = (other.operation for other in errors if other is not error)
    return not any(uses_result(error.operation, other) for other in others)
