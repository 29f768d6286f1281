"""Decide from noisy measurements whether one side is worse: pairs of runs until it is clear.

The two sides are measured in turn, so that whatever else the machine does hits both. The logarithms
of the ratios of pairs are averaged, and Student's interval around the average says what is known. A
result is worse only if the interval lies above the square root of the factor, and the average above
the factor itself: what is nearly as bad as that is not, and noise never decides.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from statistics import fmean, stdev

FEWEST, MOST = 3, 21
"""The numbers of pairs."""
_T = (
    *(math.inf, 636.6, 31.60, 12.92, 8.610, 6.869, 5.959, 5.408),
    *(5.041, 4.781, 4.587, 4.437, 4.318, 4.221, 4.140),
    *(4.073, 4.015, 3.965, 3.922, 3.883, 3.850),
)
"""Student's t for 99.9 % on both sides, by degrees of freedom: each further pair is a chance to be
wrong."""
_CAUTION = 3.0
"""How much sooner a side is not worse: that costs a smaller result, not a wrong one."""
_LEAST_NOISE = 0.01


@dataclass(frozen=True)
class Ratio:
    """How many times as much one side costs as the other, and between which limits that lies."""

    value: float
    low: float
    high: float
    pairs: int = 1

    def is_at_least(self, factor: float) -> bool:
        """Whether it is by this factor, beyond what noise explains."""
        return (
            self.value >= factor and self.low > math.sqrt(factor)
            if self.pairs > 1
            else self.value >= factor
        )


def ratio_of(pairs: Iterable[tuple[float, float]], factor: float) -> Ratio:
    """The ratio of the first to the second of each pair, with as many pairs as it takes.

    `pairs` measures another pair whenever it is asked for one.
    """
    logs: list[float] = []
    ratio = Ratio(1.0, 0.0, math.inf, 0)
    for one, other in islice(pairs, MOST):
        logs.append(math.log(one / other))
        if len(logs) < FEWEST:
            continue
        spread = max(stdev(logs), _LEAST_NOISE) * _T[len(logs) - 1] / math.sqrt(len(logs))
        middle = fmean(logs)
        value, low, high = map(math.exp, (middle, middle - spread, middle + spread))
        ratio = Ratio(value, low, high, len(logs))
        if ratio.is_at_least(factor) or middle + spread / _CAUTION < math.log(factor):
            break
    return ratio
