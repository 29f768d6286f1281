"""How a number grows with a program: with its sizes, and with the number of its ops.

A pass that is quadratic costs little on a small program; only several sizes tell.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

from oracles import Outcome
from oracles.metrics.oracle import MetricOracle
from reducer.conversions import OptPrinter
from reducer.explain.changes import Mutation, ProgramFeature, equal_sizes, sizes_of
from reducer.ir import Module
from reducer.locate.blame import Blame, Certainty
from reducer.transformations import BodyOps, BoundaryTypes, carve

Measure = Callable[[str], Outcome]

_STEPS = (1.0, 2.0, 4.0)
_MOST = 4
"""The sizes of a program that are tried."""
_OPS = 16
"""Fewer ops repeat nothing."""
_LEAST = 0.3
"""The exponent of what grows at all: a constant cost with some noise has less."""
_ALIKE = 0.35
"""How much the exponents of two steps may differ if there is to be one for both."""


@dataclass(frozen=True)
class Growth:
    """The number for some values of one size, and for the reference if it is measured as well.

    Attributes:
        subject: what is so large, with `{}` for its sizes.
        sizes, values, references: in the same order; no references if they are all the same.
        unit: that of the numbers.
    """

    subject: str
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    references: tuple[float, ...] = ()
    unit: str = ""

    @property
    def exponent(self) -> float | None:
        """The slope on a logarithmic scale, 2 if quadratic; None if two steps do not agree."""
        return _exponent(self.sizes, self.values)

    @property
    def blame(self) -> Blame:
        """What is claimed of it: nothing, unless two steps agree."""
        if self.exponent is None:
            return Blame("growth", how=self.text)
        return Blame("growth", self.text, Certainty.SHOWN)

    @property
    def steepness(self) -> tuple[bool, float]:
        """Sorts growths: first those with an exponent, by the slope of the last step."""
        return self.exponent is not None, _slopes(self.sizes, self.values)[-1]

    @property
    def text(self) -> str:
        """The growth in a sentence.

        >>> Growth("{} ops", (8, 16, 32), (10.0, 40.0, 160.0), (10.0, 20.0, 90.0), "s").text
        '8, 16, 32 ops: 10, 40, 160 s (n^2.0); the reference 10, 20, 90 s'
        """
        told = f"{self.subject.replace('{}', _listed(self.sizes), 1)}: {self._told(self.values)}"
        return f"{told}; the reference {self._told(self.references)}" if self.references else told

    def to_json(self) -> dict[str, Any]:
        """Its fields, and what is said of it."""
        return {**vars(self), "text": self.text}

    def _told(self, values: tuple[float, ...]) -> str:
        exponent = _exponent(self.sizes, values)
        told = f"{_listed(values)} {self.unit}".rstrip()
        return told if exponent is None else f"{told} (n^{exponent:.1f})"


def _listed(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{one:,.0f}" if one >= 100 else f"{one:.3g}" for one in numbers)


def _slopes(sizes: tuple[int, ...], values: tuple[float, ...]) -> list[float]:
    """How steep each step is; 0 if there is nothing to compare with."""
    steps = zip(pairwise(sizes), pairwise(values), strict=True)
    return [
        math.log(high / low) / math.log(large / small) if low > 0 < high else 0.0
        for (small, large), (low, high) in steps
    ]


def _exponent(sizes: tuple[int, ...], values: tuple[float, ...]) -> float | None:
    *others, last = _slopes(sizes, values)
    return last if others and abs(others[-1] - last) <= _ALIKE else None


def growth_of(
    module: Module, unit: str, measure: Measure, show: Callable[[str], None] = lambda text: None
) -> Growth | None:
    """The growth in what the number grows with most; None if it grows with nothing.

    A program of many ops is cut to a half and a quarter of them, and each of a few sizes is doubled
    twice, first those that are the same. A program that cannot be measured ends its row.
    """
    now = _first(measure, (module.text,))
    sizes = (one for one in sizes_of(module) if one.now.isdecimal())
    features = chain(islice(chain(equal_sizes(module), sizes), _MOST), _repeated(module))
    each_growth = (_in_one(feature, now, measure, show) for feature in features)
    grows = [one for one in each_growth if one and one.steepness[1] >= _LEAST]
    best = max(grows, key=lambda one: one.steepness, default=None)
    return best and replace(best, unit=unit)


def growth_in(
    text: str,
    opt: Path | None,
    oracle: MetricOracle,
    ran: Callable[[Outcome], None] = lambda outcome: None,
) -> Growth | None:
    """The growth of the number of a program, if a tool can print its generic form.

    `ran` is told of each run.
    """
    generic = OptPrinter(opt, oracle.limits).generic(text) if opt else None
    if generic is None:
        return None

    def measure(text: str) -> Outcome:
        outcome = oracle.run(text)
        ran(outcome)
        return outcome

    return growth_of(Module.parse(generic), oracle.metric.unit, measure)


def _repeated(module: Module) -> Iterator[ProgramFeature]:
    """The number of ops, which is made smaller by leaving out those behind."""
    body, boundary = BodyOps.of(module), BoundaryTypes.of(module)

    def first(many: int) -> Mutation:
        text = carve(body, body.ops[:many], boundary)
        return Mutation(str(many), (text,) if text else ())

    if len(body.ops) >= _OPS:
        yield ProgramFeature("ops", "{} ops", str(len(body.ops)), (), at=first)


def _in_one(
    feature: ProgramFeature,
    now: dict[str, float],
    measure: Measure,
    show: Callable[[str], None],
) -> Growth | None:
    is_size = feature.kind == "size"
    subject = f"size {{}} of {feature.subject}" if is_size else feature.subject
    rows = sorted(_measured(feature, subject, now, measure, show))
    if len(rows) < 2:
        return None
    sizes, values, references = zip(*rows, strict=True)
    varies = len({f"{one:.3g}" for one in references}) > 1  # it may be a number
    return Growth(subject, sizes, values, references if varies else ())


def _measured(
    feature: ProgramFeature,
    subject: str,
    now: dict[str, float],
    measure: Measure,
    show: Callable[[str], None],
) -> Iterator[tuple[int, float, float]]:
    assert feature.at is not None
    for step in _STEPS:
        size = round(int(feature.now) * (step if feature.kind == "size" else 1 / step))
        if step > 1:
            show(f"measure it with {subject.replace('{}', f'{size:,}', 1)}")
        numbers = now if step == 1 else _first(measure, feature.at(size).texts)
        if not numbers:
            return
        yield size, numbers["value"], numbers["reference"]


def _first(measure: Measure, texts: tuple[str, ...]) -> dict[str, float]:
    """The numbers of the first variant that can be measured."""
    return next((dict(seen) for one in texts if (seen := measure(one).numbers)), {})
