"""What is decided from noisy measurements."""

import itertools
import random
from collections.abc import Iterator

import pytest

from oracles.metrics.noise import FEWEST, MOST, Ratio, ratio_of


def measured(ratio: float, noise: float, seed: int) -> Iterator[tuple[float, float]]:
    """Pairs of a program that takes 1 s and one that takes `ratio` times as long.

    Each run takes longer by chance, as on a busy machine.
    """
    chance = random.Random(seed)
    while True:
        yield tuple(  # type: ignore[misc]
            base * (1 + abs(chance.gauss(0, noise))) for base in (ratio, 1.0)
        )


def worse(ratio: float, noise: float, seed: int, factor: float = 1.2) -> bool:
    return ratio_of(measured(ratio, noise, seed), factor).is_at_least(factor)


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.3])
def test_noise_is_never_worse(noise: float) -> None:
    assert not any(worse(1.0, noise, seed) for seed in range(500))


@pytest.mark.parametrize(("noise", "found"), [(0.01, 200), (0.05, 200), (0.1, 190)])
def test_what_is_a_third_slower_is_found(noise: float, found: int) -> None:
    assert sum(worse(1.33, noise, seed) for seed in range(200)) >= found


def test_what_is_clear_needs_few_runs() -> None:
    assert ratio_of(measured(10.0, 0.05, 1), 2.0).pairs == FEWEST
    assert ratio_of(measured(1.0, 0.05, 1), 2.0).pairs == FEWEST


def test_what_stays_unclear_ends() -> None:
    swinging = itertools.cycle([(3.0, 1.0), (1.0, 3.0)])
    found = ratio_of(swinging, 1.2)
    assert found.pairs == MOST
    assert not found.is_at_least(1.2)


def test_a_single_exact_ratio_decides() -> None:
    assert Ratio(2.0, 2.0, 2.0).is_at_least(2.0)
    assert not Ratio(1.9, 1.9, 1.9).is_at_least(2.0)
