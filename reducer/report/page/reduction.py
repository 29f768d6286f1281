"""The HTML page about one reduction."""

import math
import shlex
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePath

from reducer.driver.best import PRINTED
from reducer.driver.records.history import PRINT, History, Lineage, Tries, reading
from reducer.driver.settings import Size
from reducer.escaping import one_line
from reducer.ir import GenericSyntaxError, Module, PlainText
from reducer.report.page.arguments import argument_names
from reducer.report.page.chart import number_charts, size_charts
from reducer.report.page.elsewhere import elsewhere_of
from reducer.report.page.findings import Findings, needs_of
from reducer.report.page.graph import Drawing, draw_around, draw_final
from reducer.report.page.highlight import lines
from reducer.report.page.render import render
from reducer.report.page.suspects import failing_ops, rows_of
from reducer.storage.files import read_result
from reducer.storage.result_folder import ResultFolder


@dataclass(frozen=True)
class ReductionFacts:
    """The data that the page shows.

    Attributes:
        name: the result's file name.
        text: the result as it is on disk, including comments.
        history: the steps of the reduction.
        original: the input in generic form, None if it could not be parsed.
        final: the result in generic form, before names were shortened.
        pass_name, pass_text: the reproducer for the failing pass, '' if there is none.
        findings: what later runs found out about the result.
    """

    name: str
    text: str
    history: History
    original: Module | None = None
    final: Module | None = None
    pass_name: str = ""
    pass_text: str = ""
    findings: Findings = field(default_factory=Findings)


def read_reduction(result: Path, journal: Path | None = None) -> ReductionFacts:
    """Read the data for the page from a result and its journal (by default, the one in its folder).

    Raises:
        ReducerError: either of them cannot be read; see `read_result` and `reading`.
    """
    text = read_result(result)
    with reading(journal or ResultFolder.of(result).journal) as reader:
        return _facts(result, text, reader.lineage())


def reduction_facts(result: Path, lineage: Lineage) -> ReductionFacts:
    """Read the data for the page from a result; `lineage` comes from its journal.

    Raises:
        ReducerError: the result cannot be read; see `read_result`.
    """
    return _facts(result, read_result(result), lineage)


def _facts(result: Path, text: str, lineage: Lineage) -> ReductionFacts:
    history = lineage.history
    below = ResultFolder.of(result).before_pass
    is_there = below.is_file()
    return ReductionFacts(
        name=result.name,
        text=text,
        history=history,
        original=lineage.original,
        final=_module(history.final),
        pass_name=below.name if is_there else "",
        pass_text=read_result(below) if is_there else "",
    )


def _module(text: str) -> Module | None:
    try:
        return Module.parse(text) if text else None
    except GenericSyntaxError:
        return None


@dataclass(frozen=True)
class Gain:
    """One row: a transformation or phase.

    `share` is its part of the total reduction in bytes, measured in logarithms, so that halving a
    large program counts as much as halving a small one. All shares add up to 1.
    """

    name: str
    share: float
    tries: Tries


@dataclass(frozen=True)
class Gains:
    """Rows with gains, largest first; those without success; and steps that remove nothing."""

    winners: list[Gain]
    others: list[Gain]
    upkeep: list[Gain]


_PRINTS = frozenset({PRINTED, PRINT})
"""Other forms of the same program; their size says nothing about a transformation."""


def gains(history: History) -> Gains:
    """The gains of each transformation and phase in the history."""
    shares = _shares(history)
    rows = [Gain(name, shares.get(name, 0.0), tries) for name, tries in history.tries.items()]
    rows.sort(key=lambda row: (-row.share, -row.tries.bytes, -row.tries.calls, row.name))
    edits = [row for row in rows if row.name not in _PRINTS]
    winners = [row for row in edits if row.tries.accepted or row.share]
    losers = [row for row in rows if row not in winners and (row.tries.tried or row.tries.calls)]
    others = [row for row in losers if row in edits and row.tries.tried]
    return Gains(winners, others, [row for row in losers if row not in others])


def _shares(history: History) -> dict[str, float]:
    sizes = [history.input.bytes, *(moment.bytes for moment in history.moments)]
    logs = [math.log(max(1, size)) for size in sizes]
    steps = [
        (moment.origin, before - after)
        for moment, (before, after) in zip(history.moments, pairwise(logs), strict=True)
        if moment.origin not in _PRINTS
    ]
    whole = sum(gain for _, gain in steps)
    shares: dict[str, float] = {}
    for origin, gain in steps if whole > 0 else ():
        shares[origin] = shares.get(origin, 0.0) + gain / whole
    return shares


_TIMES = "\N{MULTIPLICATION SIGN}"
_MAX_TEXT = 400_000  # characters of a program to show


@dataclass(frozen=True)
class _Measure:
    """The size of the program before and after, by one measure."""

    name: str
    before: int
    after: int

    @property
    def factor(self) -> str:
        """How many times smaller it has become: 12,345x or 3.2x, with a multiplication sign."""
        factor = self.before / max(1, self.after)
        return f"{factor:,.0f}{_TIMES}" if factor >= 10 else f"{factor:.1f}{_TIMES}"


def reduction_page(facts: ReductionFacts) -> str:
    """A complete HTML document. Equal facts yield equal text."""
    history, findings = facts.history, facts.findings
    rows = list(lines(facts.text[:_MAX_TEXT]))
    failing = failing_ops(facts.final, history) if facts.final else []
    final = _draw_final(facts, failing)
    around = _around(facts, failing)
    return render(
        "reduction",
        facts=facts,
        history=history,
        verdict=_verdict(facts),
        measures=_measures(facts),
        command=_command(history.command),
        elsewhere=elsewhere_of(history.health, findings.releases, history.signature.text),
        needs=None if findings.boundary is None else needs_of(findings.boundary),
        charts=size_charts(history) if history.moments else [],
        numbers=list(number_charts(findings)),
        gains=gains(history),
        final=final,
        around=around,
        is_same=bool(final and around and final.shape == around.shape),
        places=_places(facts),
        text=rows,
        marked=rows_of(failing, facts.final, rows) if facts.final else frozenset(),
        cut=len(facts.text) > _MAX_TEXT,
        pass_text=lines(facts.pass_text[:_MAX_TEXT]) if facts.pass_text else None,
    )


def _verdict(facts: ReductionFacts) -> tuple[str, str]:
    """A CSS class and a word for how far the result can be trusted."""
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
    """The program without the comments above and below it, which do not count toward its size."""
    rows = text.splitlines(keepends=True)
    while rows and rows[0].startswith("//"):
        rows.pop(0)
    while rows and rows[-1].startswith("//"):
        rows.pop()
    return "".join(rows)


def _command(words: list[str]) -> str:
    """The command with the bare program name, so as not to reveal where it is installed."""
    if not words:
        return ""
    return one_line(shlex.join([PurePath(words[0]).name or words[0], *words[1:]]))


def _draw_final(facts: ReductionFacts, failing: list[int]) -> Drawing | None:
    if facts.final is None:
        return None
    names = argument_names(facts.text, facts.final)
    return draw_final(facts.final, facts.history.origins, failing, names)


def _around(facts: ReductionFacts, failing: list[int]) -> Drawing | None:
    origins = facts.history.origins
    if facts.original is None or not origins:
        return None
    kept = set(origins.values())
    drawing = draw_around(facts.original, kept, [origins[op] for op in failing if op in origins])
    return drawing if drawing.boxes else None


def _places(facts: ReductionFacts) -> list[float]:
    """The positions of the kept ops in the original program, from 0 to 1."""
    module = facts.original
    if module is None or len(module) < 2:
        return []
    kept = {op for op in facts.history.origins.values() if op not in module.t.regions}
    return [round(op / (len(module) - 1), 4) for op in sorted(kept)]
