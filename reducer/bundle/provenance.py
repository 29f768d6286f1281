"""How the program came to be, from the journal that its reduction has left beside it.

Only figures and places are taken from there, never a command. A journal that cannot be read, or
tells of another failure, tells nothing.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oracles import Limits, Signature
from reducer.bundle.wording import is_ordinary
from reducer.errors import ReducerError
from reducer.ir import Module
from reducer.locate.locations import Location, read_locations
from reducer.page import ReductionFacts, read_reduction, reduction_page
from reducer.page.reduction import default_journal_of
from reducer.session.conversions import GENERIC, OptPrinter, key_of
from reducer.session.history import History, reading
from reducer.storage.files import read_input

_SECONDS = 120.0  # to print the input with its locations
_CANDIDATE = "input.mlir"  # what the compiler is told that the input is called


@dataclass(frozen=True)
class Provenance:
    """`record` has the fields of `reduce --json` and `origin`; `page` is the reduction as HTML."""

    record: dict[str, Any]
    page: str


@dataclass(frozen=True)
class Source:
    """What was reduced, where that is not the file that the journal names. `text`, if known."""

    name: str
    text: str | None = None


def read_provenance(
    result: Path, signature: Signature, opt: Path | None, source: Source | None = None
) -> Provenance | None:
    """The past of the program in `result`, whose failure has this signature.

    `opt`, the compiler's `…-opt` tool, finds the lines of the input where the journal has not.
    """
    try:
        facts = read_reduction(result)
        if facts.history.signature != signature:
            return None
        text = source.text if source else _text_beside(result, facts.history)
        if source is not None:
            facts = replace(facts, history=replace(facts.history, name=source.name))
        if text is not None and key_of(GENERIC, text) != facts.history.generic:
            text = None  # it is another one now
        record = _figures(facts.history)
        record["origin"] = _origin(facts, result, text, opt)
        return Provenance(record, reduction_page(facts))
    except (ReducerError, OSError):
        return None


def _figures(history: History) -> dict[str, Any]:
    size = history.input
    return {
        "input": {
            "path": history.name,
            "lines": size.lines,
            "ops": size.ops,
            "bytes": size.bytes,
        },
        "oracle": {
            "calls": history.total.calls,
            "compiler_seconds": round(history.total.compiler_seconds, 3),
        },
        "wall_seconds": round(history.total.seconds, 3),
        "one_minimal": history.one_minimal,
    }


def _origin(
    facts: ReductionFacts, result: Path, text: str | None, opt: Path | None
) -> list[dict[str, Any]]:
    """The input's ops of which something is left, in the order of the program."""
    before, after = facts.original, facts.final
    if before is None or after is None:
        return []
    kept = [
        (before.t.name[origin], origin)
        for op, origin in sorted(facts.history.origins.items())
        if op < len(after) and origin < len(before) and not after.hidden[op]
    ]
    telling = [(name, op) for name, op in kept if not is_ordinary(name)]
    places = _places(result, before, text, opt) if text else {}
    lines = text.splitlines() if text else []
    return [_place(name, places.get(op), lines, facts.history.name) for name, op in telling]


def _place(name: str, place: Location | None, lines: list[str], source: str) -> dict[str, Any]:
    if place is None:
        return {"op": name, "file": source}
    file, line, column = place
    own = file == _CANDIDATE
    said = lines[line - 1].strip() if own and 0 < line <= len(lines) else ""
    return {
        "op": name,
        "file": source if own else file,
        "line": line,
        "column": column,
        "text": said[:400],
    }


def _text_beside(result: Path, history: History) -> str | None:
    """The input, if it still lies where it was."""
    try:
        return read_input(result.parent / history.name).text
    except (ReducerError, OSError):
        return None


def _places(result: Path, module: Module, text: str, opt: Path | None) -> dict[int, Location]:
    with reading(default_journal_of(result)) as reader:
        located = reader.text(key_of("locations", text))
    if not located and opt is not None:
        located = OptPrinter(opt, Limits(_SECONDS)).generic_with_locations(text)
    found = read_locations(located, module) if located else {}
    return {op: place for place, ops in reversed(found.items()) for op in ops}
