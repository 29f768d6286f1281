"""Reads MLIR and LLVM diagnostics out of a compiler's standard error."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from oracles.linker import symbol_error

LINKER = "ld"
"""The `file` of what any linker says of a symbol."""

OPERATION_KEPT = 4 << 10
"""Characters of a printed operation that a diagnostic carries; a whole module can follow."""

DIAGNOSTICS_KEPT = 200
"""A flood of errors says no more than its first few."""

NOTES_KEPT = 20
"""Notes that a diagnostic carries."""

_SEVERITIES = ("error:", "warning:", "note:", "remark:")
_SEVERITY = r"(?P<severity>error|warning|note|remark)"

# `file:3:14: error: text`, `<unknown>:0: error: text` and `loc("x"): error: text` (MLIR)
_LOCATED = re.compile(
    r"(?P<file>(?:loc\(.*?\)|<unknown>|[^\s:'\"][^:\n]*?))"
    r"(?::(?P<line>\d+))?(?::(?P<column>\d+))?: " + _SEVERITY + r": ?(?P<message>.*)"
)
# `error: <unknown>:0:0: text` (LLVM's own diagnostic handler)
_LLVM = re.compile(
    _SEVERITY + r": (?P<file>[^\s:]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<message>.*)"
)
_BARE = re.compile(_SEVERITY + r": (?P<message>.*)")
_OPERATION = "see current operation:"


@dataclass(frozen=True)
class Diagnostic:
    """One error, warning or remark.

    `file` is "" and `line` 0 where the compiler knows no location. `operation` is the printed
    operation of the "see current operation" note, bounded; `called_from` are the (line, column)
    of the "called from" notes, innermost first; `notes` the first words of any other note.
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
        """Plain values that `from_json` reads back."""
        places = [list(place) for place in self.called_from]
        return asdict(self) | {"called_from": places, "notes": list(self.notes)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Diagnostic":
        """Inverse of `to_json`."""
        places = tuple((int(line), int(column)) for line, column in data["called_from"])
        notes = tuple(str(note) for note in data.get("notes", ()))
        return cls(**(data | {"called_from": places, "notes": notes}))


def parse_diagnostics(stderr: str) -> tuple[Diagnostic, ...]:
    """All diagnostics of `stderr` in order; notes are folded into the one they belong to."""
    found: list[Diagnostic] = []
    for head, body in _blocks(stderr.splitlines()):
        if head.severity != "note":
            if len(found) == DIAGNOSTICS_KEPT:
                break
            found.append(head)
        elif found:
            found[-1] = _with_note(found[-1], head, body)
    return tuple(found)


def parse_line(line: str) -> Diagnostic | None:
    """The diagnostic that begins on this line, or None."""
    if symbol := symbol_error(line):
        return Diagnostic(LINKER, 0, 0, "error", symbol)
    if line[:1].isspace() or not any(word in line for word in _SEVERITIES):
        return None  # cheap: standard error can be megabytes of printed IR
    match = _LLVM.match(line) or _BARE.match(line) or _LOCATED.match(line)
    if match is None:
        return None
    groups = match.groupdict()
    file = groups.get("file") or ""
    return Diagnostic(
        file="" if file == "<unknown>" else file,
        line=int(groups.get("line") or 0),
        column=int(groups.get("column") or 0),
        severity=groups["severity"],
        message=groups["message"].strip(),
    )


def _blocks(lines: Iterable[str]) -> Iterator[tuple[Diagnostic, list[str]]]:
    """Splits the text at diagnostic heads; lines before the first head are dropped."""
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
    if not note.message.startswith(_OPERATION) and len(diagnostic.notes) < NOTES_KEPT:
        return replace(diagnostic, notes=(*diagnostic.notes, note.message[:OPERATION_KEPT]))
    return diagnostic


def _printed_operation(first: str, body: list[str]) -> str:
    """The operation alone: a quoted source line and its caret may follow it."""
    if first and not first.endswith("({"):
        return first[:OPERATION_KEPT]
    lines = [first] if first else []
    lines += _without_snippet(body)
    return "\n".join(lines)[:OPERATION_KEPT].strip()


def _without_snippet(body: list[str]) -> list[str]:
    for index, line in enumerate(body):
        if line.strip() == "^" and index > 0:
            return body[: index - 1]
        if line.startswith("// -----// "):  # an IR dump
            return body[:index]
    return body
