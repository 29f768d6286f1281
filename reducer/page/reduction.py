"""The HTML page about one reduction."""

import math
import shlex
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePath

from reducer.ir import GenericSyntaxError, Module, PlainText
from reducer.page.chart import size_charts
from reducer.page.graph import Drawing, draw_around, draw_final
from reducer.page.render import lines, render
from reducer.session.history import History, Lineage, Tries, reading
from reducer.session.pass_level import pass_output
from reducer.session.printing import one_line
from reducer.session.settings import Size
from reducer.storage.files import read_input


@dataclass(frozen=True)
class ReductionFacts:
    """One reduction.

    Attributes:
        name: the result's file name.
        text: the result as it lies on disk, comments included.
        history: how it came about.
        original: the input in generic form, None where it has none.
        final: the result likewise, from before its names were made short.
        pass_name, pass_text: the reproducer at the level of the failing pass, '' if there is none.
    """

    name: str
    text: str
    history: History
    original: Module | None = None
    final: Module | None = None
    pass_name: str = ""
    pass_text: str = ""


def default_journal_of(result: Path) -> Path:
    """model.reduced.mlir -> model.reduced.journal"""
    return result.with_name(f"{result.name.removesuffix('.mlir')}.journal")


def read_reduction(result: Path, journal: Path | None = None) -> ReductionFacts:
    """The facts about a result, from its journal (the one beside it by default).

    Raises:
        ReducerError: one of both cannot be read; see `read_input` and `reading`.
    """
    text = read_input(result).text
    with reading(journal or default_journal_of(result)) as reader:
        return _facts(result, text, reader.lineage())


def reduction_facts(result: Path, lineage: Lineage) -> ReductionFacts:
    """The facts about a result whose lineage is known.

    Raises:
        ReducerError: the result cannot be read; see `read_input`.
    """
    return _facts(result, read_input(result).text, lineage)


def _facts(result: Path, text: str, lineage: Lineage) -> ReductionFacts:
    history = lineage.history
    below = pass_output(result)
    found = below.is_file()
    return ReductionFacts(
        name=result.name,
        text=text,
        history=history,
        original=lineage.original,
        final=_module(history.final),
        pass_name=below.name if found else "",
        pass_text=read_input(below).text if found else "",
    )


def _module(text: str) -> Module | None:
    try:
        return Module.parse(text) if text else None
    except GenericSyntaxError:
        return None


@dataclass(frozen=True)
class Gain:
    """One row.

    `share` is the part of the way from the input's bytes to the result's, in logarithms: halving a
    large program is as far as halving a small one. All shares add up to 1.
    """

    name: str
    share: float
    tries: Tries


@dataclass(frozen=True)
class Gains:
    """Those that won something, the most first; those that only tried; and what was no trying."""

    winners: list[Gain]
    others: list[Gain]
    upkeep: list[Gain]


def gains(history: History) -> Gains:
    """What the history tells of each transformation and phase."""
    shares = _shares(history)
    rows = [Gain(name, shares.get(name, 0.0), tries) for name, tries in history.tries.items()]
    rows.sort(key=lambda row: (-row.share, -row.tries.bytes, -row.tries.calls, row.name))
    winners = [row for row in rows if row.tries.accepted or row.share]
    losers = [row for row in rows if row not in winners and (row.tries.tried or row.tries.calls)]
    return Gains(
        winners,
        [row for row in losers if row.tries.tried],
        [row for row in losers if not row.tries.tried],
    )


def _shares(history: History) -> dict[str, float]:
    sizes = [history.input.bytes, *(moment.bytes for moment in history.moments)]
    logs = [math.log(max(1, size)) for size in sizes]
    whole = logs[0] - logs[-1]
    shares: dict[str, float] = {}
    for moment, (before, after) in zip(history.moments, pairwise(logs), strict=True):
        if whole > 0:
            shares[moment.origin] = shares.get(moment.origin, 0.0) + (before - after) / whole
    return shares


_TIMES = "\N{MULTIPLICATION SIGN}"
_MAX_TEXT = 400_000  # characters of a program that are shown


@dataclass(frozen=True)
class _Measure:
    """How large the program was and is, by one measure."""

    name: str
    before: int
    after: int

    @property
    def factor(self) -> str:
        """How many times smaller it is: 12,345x or 3.2x, with a proper sign."""
        factor = self.before / max(1, self.after)
        return f"{factor:,.0f}{_TIMES}" if factor >= 10 else f"{factor:.1f}{_TIMES}"


def reduction_page(facts: ReductionFacts) -> str:
    """A whole HTML document. The same facts always give the same text."""
    history = facts.history
    named = history.signature.op
    final = draw_final(facts.final, history.origins, named) if facts.final else None
    return render(
        "reduction",
        facts=facts,
        history=history,
        verdict=_verdict(facts),
        measures=_measures(facts),
        command=_command(history.command),
        charts=size_charts(history) if history.moments else [],
        gains=gains(history),
        final=final,
        around=_around(facts, named),
        places=_places(facts),
        text=lines(facts.text[:_MAX_TEXT]),
        cut=len(facts.text) > _MAX_TEXT,
        pass_text=lines(facts.pass_text[:_MAX_TEXT]) if facts.pass_text else None,
    )


def _verdict(facts: ReductionFacts) -> tuple[str, str]:
    """A class and a word for how sure the result is."""
    history = facts.history
    if history.verified:
        return "good", "verified"
    if history.status == "reduced":
        return "bad", "not verified"
    return "open", {"budget": "budget spent", "interrupted": "interrupted"}.get(
        history.status, "not finished"
    )


def _measures(facts: ReductionFacts) -> list[_Measure]:
    before = facts.history.input
    after = Size.of(PlainText(_without_comments(facts.text)))
    ops = facts.history.moments[-1].ops if facts.history.moments else before.ops
    return [
        _Measure("lines", before.lines, after.lines),
        _Measure("ops", before.ops, ops),
        _Measure("bytes", before.bytes, after.bytes),
    ]


def _without_comments(text: str) -> str:
    """The program as its size is counted: without the comments above and below it."""
    rows = text.splitlines(keepends=True)
    while rows and rows[0].startswith("//"):
        rows.pop(0)
    while rows and rows[-1].startswith("//"):
        rows.pop()
    return "".join(rows)


def _command(words: list[str]) -> str:
    """The command with the program by its name: where it is installed is nobody's business."""
    if not words:
        return ""
    return one_line(shlex.join([PurePath(words[0]).name or words[0], *words[1:]]))


def _around(facts: ReductionFacts, named: str) -> Drawing | None:
    kept = set(facts.history.origins.values())
    if facts.original is None or not kept:
        return None
    drawing = draw_around(facts.original, kept, named)
    return drawing if drawing.boxes else None


def _places(facts: ReductionFacts) -> list[float]:
    """Where in the original the kept ops were, from 0 to 1."""
    module = facts.original
    if module is None or len(module) < 2:
        return []
    kept = {op for op in facts.history.origins.values() if op not in module.t.regions}
    return [round(op / (len(module) - 1), 4) for op in sorted(kept)]
