"""How the program came to be: what its reduction hands over, or has left in the journal beside it.

Only figures and places are taken from a journal, never a command. One that cannot be read, or tells
of another failure, tells nothing.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Limits, Signature
from reducer.bundle.wording import is_ordinary
from reducer.errors import ReducerError
from reducer.ir import Module
from reducer.locate.locations import Location, read_locations
from reducer.page import ReductionFacts, reduction_facts, reduction_page
from reducer.page.reduction import default_journal_of
from reducer.session import ReductionRecord
from reducer.session.conversions import OptPrinter
from reducer.session.figures import Origin
from reducer.session.history import History, Lineage, reading
from reducer.storage.files import read_input

_SECONDS = 120.0  # to print the input with its locations
_CANDIDATE = "input.mlir"  # what the compiler is told that the input is called


@dataclass(frozen=True)
class Provenance:
    """`record` has an `origin`; `page` is the reduction as HTML."""

    record: ReductionRecord
    page: str


@dataclass(frozen=True)
class Source:
    """What was reduced, where that is not the file that the journal names. `text`, if known."""

    name: str
    text: str | None = None


def provenance_of(
    record: ReductionRecord, result: Path, lineage: Lineage, opt: Path | None
) -> Provenance:
    """The past of the program in `result`.

    `opt`, the compiler's `…-opt` tool, finds the lines of the input where the reduction has not.
    Raises ReducerError where `result` cannot be read.
    """
    facts = reduction_facts(result, lineage)
    origin = tuple(_origins(facts, lineage, opt))
    return Provenance(replace(record, origin=origin), reduction_page(facts))


def read_provenance(
    result: Path, signature: Signature, opt: Path | None, source: Source | None = None
) -> Provenance | None:
    """The same from the journal beside `result`, a program whose failure has this signature."""
    try:
        with reading(default_journal_of(result)) as reader:
            history = reader.history()
            if history.signature != signature:
                return None
            lineage = reader.lineage(source.text if source else _text_beside(result, history))
        if source is not None:
            lineage = replace(lineage, history=replace(history, name=source.name))
        record = ReductionRecord.from_history(lineage.history)
        return provenance_of(record, result, lineage, opt)
    except (ReducerError, OSError):
        return None


def _origins(facts: ReductionFacts, lineage: Lineage, opt: Path | None) -> list[Origin]:
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
    places = _places(before, lineage, opt)
    lines = lineage.source.splitlines() if lineage.source else []
    return [_origin(name, places.get(op), lines, facts.history.name) for name, op in telling]


def _origin(name: str, place: Location | None, lines: list[str], source: str) -> Origin:
    if place is None:
        return Origin(name, source)
    file, line, column = place
    own = file == _CANDIDATE
    said = lines[line - 1].strip() if own and 0 < line <= len(lines) else ""
    return Origin(name, source if own else file, line, column, said[:400])


def _text_beside(result: Path, history: History) -> str | None:
    """The input, if it still lies where it was."""
    try:
        return read_input(result.parent / history.name).text
    except (ReducerError, OSError):
        return None


def _places(module: Module, lineage: Lineage, opt: Path | None) -> dict[int, Location]:
    located, source = lineage.located, lineage.source
    if not located and source and opt is not None:
        located = OptPrinter(opt, Limits(_SECONDS)).generic_with_locations(source) or ""
    found = read_locations(located, module) if located else {}
    return {op: place for place, ops in reversed(found.items()) for op in ops}
