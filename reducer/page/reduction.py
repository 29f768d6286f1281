"""The page about one reduction."""

import shlex
from dataclasses import dataclass
from pathlib import PurePath

from reducer.ir import PlainText
from reducer.page.chart import size_charts
from reducer.page.facts import ReductionFacts
from reducer.page.gains import gains
from reducer.page.graph import Drawing, draw_around, draw_final
from reducer.page.highlight import lines
from reducer.page.render import render
from reducer.session.comments import one_line
from reducer.session.events import Size

_TIMES = "\N{MULTIPLICATION SIGN}"
_MOST_TEXT = 400_000  # characters of a program that are shown


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
        text=lines(facts.text[:_MOST_TEXT]),
        cut=len(facts.text) > _MOST_TEXT,
        pass_text=lines(facts.pass_text[:_MOST_TEXT]) if facts.pass_text else None,
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
