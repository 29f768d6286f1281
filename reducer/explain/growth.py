"""How a number grows with the sizes of a program: what is linear and what is not.

A pass that is quadratic costs little on a small program; only two or more sizes tell.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from oracles import Oracle, Outcome
from oracles.metrics.oracle import MetricOracle
from reducer.explain.changes import ProgramFeature, equal_sizes, sizes_of
from reducer.ir import Module

_FACTORS = (1, 2, 4)
_MOST = 4
"""The sizes of a program that are tried."""
_LEAST = 0.1
"""The exponent of what grows at all: a constant cost with some noise has less."""


@dataclass(frozen=True)
class Growth:
    """The number for some values of one size, and for the reference if it is measured as well.

    Attributes:
        subject: where the size occurs.
        sizes, values, references: in the same order; no references if they are all the same.
        unit: that of the numbers.
    """

    subject: str
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    references: tuple[float, ...] = ()
    unit: str = ""

    @property
    def exponent(self) -> float:
        """The slope between the two largest sizes, on a logarithmic scale: 2 if quadratic."""
        return _slope(self.sizes, self.values)

    @property
    def text(self) -> str:
        """The growth in a sentence.

        >>> Growth("tensor<8xf32>", (8, 16), (10.0, 40.0), (10.0, 20.0), "ops").text
        'size 8, 16 of tensor<8xf32>: 10, 40 ops (n^2.0); the reference 10, 20 ops (n^1.0)'
        """
        unit = f" {self.unit}" if self.unit else ""
        told = f"size {_listed(self.sizes)} of {self.subject}: {_listed(self.values)}{unit}"
        told += f" (n^{self.exponent:.1f})"
        if self.references:
            slope = _slope(self.sizes, self.references)
            told += f"; the reference {_listed(self.references)}{unit} (n^{slope:.1f})"
        return told


def _listed(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{one:,.0f}" if one >= 100 else f"{one:.3g}" for one in numbers)


def _slope(sizes: tuple[int, ...], values: tuple[float, ...]) -> float:
    if len(sizes) < len(_FACTORS) - 1 or min(values[-2:]) <= 0:
        return 0.0
    return math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2])


def growth_of(
    module: Module, oracle: MetricOracle, show: Callable[[str], None] = lambda text: None
) -> Growth | None:
    """The growth in the size with which the number grows most; None if it does in none.

    Each of a few sizes is doubled twice, first those that are the same. A program that is no
    longer measured ends its row.
    """
    each = (one for one in sizes_of(module) if one.now.isdecimal())
    features = islice(chain(equal_sizes(module), each), _MOST)
    found = (growth for one in features if (growth := _in_one(one, oracle, show)))
    best = max(found, key=lambda one: one.exponent, default=None)
    if best is None or best.exponent < _LEAST:
        return None
    return replace(best, unit=oracle.metric.unit)


def _in_one(feature: ProgramFeature, oracle: Oracle, show: Callable[[str], None]) -> Growth | None:
    rows = list(_measured(feature, oracle, show))
    if len(rows) < len(_FACTORS) - 1:
        return None
    sizes, values, references = zip(*rows, strict=True)
    varies = len({f"{one:.3g}" for one in references}) > 1  # it may be a number
    return Growth(feature.subject, sizes, values, references if varies else ())


def _measured(
    feature: ProgramFeature, oracle: Oracle, show: Callable[[str], None]
) -> Iterator[tuple[int, float, float]]:
    assert feature.at is not None
    now = int(feature.now)
    for factor in _FACTORS:
        show(f"measure it with the size {now * factor:,} of {feature.subject}")
        numbers = _first(oracle, feature.at(now * factor).texts)
        if not numbers:
            return
        yield now * factor, numbers["value"], numbers["reference"]


def _first(oracle: Oracle, texts: tuple[str, ...]) -> dict[str, float]:
    """The numbers of the first variant that can be measured."""
    for text in texts:
        outcome: Outcome = oracle.run(text)
        if outcome.numbers:
            return dict(outcome.numbers)
    return {}
