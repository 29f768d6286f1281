"""The provenance of a program: facts about its reduction, passed on directly or from the journal.

Only figures and source locations are read from a journal, never a command. A journal that cannot be
read, or belongs to another failure, is ignored.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Limits, Signature
from oracles.signature.comparison import same_failure
from reducer.conversions import OptPrinter
from reducer.driver.records.figures import Origin
from reducer.driver.records.history import History, Lineage, reading
from reducer.driver.records.record import ReductionRecord
from reducer.errors import ReducerError
from reducer.ir import Module
from reducer.ir.dialects import is_ordinary
from reducer.locate.locations import Location, read_locations
from reducer.report.page import (
    ReductionFacts,
    reduction_facts,
)
from reducer.storage.files import read_input
from reducer.storage.result_folder import ResultFolder

_SECONDS = 120.0  # time limit for printing the input with locations
_CANDIDATE = "input.mlir"  # the file name of candidates in the compiler's locations


@dataclass(frozen=True)
class Source:
    """The original input, if it is not the file named in the journal; `text` is None if unknown."""

    name: str
    text: str | None = None


def provenance_of(
    record: ReductionRecord, result: Path, lineage: Lineage, opt: Path | None
) -> ReductionRecord:
    """The record with the places in the input where the ops in `result` come from.

    Args:
        opt: the compiler's `…-opt` tool, used to find source lines not recorded by the reduction.

    Raises:
        ReducerError: `result` cannot be read.
    """
    facts = reduction_facts(result, lineage)
    return replace(record, origin=tuple(_origins(facts, lineage, opt)))


def read_provenance(
    result: Path, signature: Signature, opt: Path | None, source: Source | None = None
) -> ReductionRecord | None:
    """The record of the reduction to the program in `result`, from the journal in its folder.

    None if there is no readable journal, or its reduction had another target signature.
    """
    try:
        with reading(ResultFolder.of(result).journal) as reader:
            history = reader.history()
            if not same_failure(history.signature, signature):
                return None
            lineage = reader.lineage(source.text if source else _text_beside(result, history))
        if source is not None:
            lineage = replace(lineage, history=replace(history, name=source.name))
        record = ReductionRecord.from_history(lineage.history)
        return provenance_of(record, result, lineage, opt)
    except (ReducerError, OSError):
        return None


def _origins(facts: ReductionFacts, lineage: Lineage, opt: Path | None) -> list[Origin]:
    """The ops of the input that are left in the program, in program order."""
    before, after = facts.original, facts.final
    if before is None or after is None:
        return []
    kept = [
        (before.t.name[origin], origin)
        for op, origin in sorted(facts.history.origins.items())
        if op < len(after) and origin < len(before) and not after.hidden[op]
    ]
    telling = [(name, op) for name, op in kept if not is_ordinary(name)]
    places = _places(before, [op for _, op in telling], lineage, opt)
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
    """The text of the input, if it is still next to `result`."""
    place = result.parent / history.name
    try:
        return read_input(place).text if place.is_file() else None
    except (ReducerError, OSError):
        return None


def _places(
    module: Module, ops: list[int], lineage: Lineage, opt: Path | None
) -> dict[int, Location]:
    """The first location of each of these ops that has one."""
    located, source = lineage.located, lineage.source
    if ops and not located and source and opt is not None:
        located = OptPrinter(opt, Limits(_SECONDS)).generic_with_locations(source) or ""
    found = read_locations(located, module, ops) if located else {}
    return {op: place for place, at in reversed(found.items()) for op in at}
