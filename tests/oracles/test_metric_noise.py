import math
import random
from collections.abc import Iterator

from oracles.metrics.noise import ratio_of

NOISE = 0.1
"""The standard deviation of a measurement on a busy machine, relative to it."""


def _pairs(seed: int, ratio: float) -> Iterator[tuple[float, float]]:
    gauss = random.Random(seed).gauss
    while True:
        yield ratio * math.exp(gauss(0, NOISE)), math.exp(gauss(0, NOISE))


def _called_worse(ratio: float, factor: float) -> int:
    return sum(ratio_of(_pairs(seed, ratio), factor).is_at_least(factor) for seed in range(1000))


def test_noise_decides_nothing() -> None:
    assert _called_worse(1.0, 1.2) == 0


def test_what_is_a_third_slower_is_found() -> None:
    assert _called_worse(1.3, 1.2) >= 900


def test_what_is_twice_as_slow_takes_few_pairs() -> None:
    assert max(ratio_of(_pairs(seed, 2.0), 1.2).pairs for seed in range(100)) <= 9
