"""The expected number of runs and the error rates, computed exactly rather than sampled."""

from functools import cache

import pytest

from reducer.search.sequential import Rate, SequentialTest


def chances(test: SequentialTest, rate: float) -> tuple[float, float]:
    """The probability that a program with this failure rate is accepted, and the expected runs."""

    @cache
    def after(failed: int, runs: int) -> tuple[float, float]:
        taken = test.decide(Rate(failed, runs))
        if taken is not None:
            return float(taken), float(runs)
        worse, better = after(failed + 1, runs + 1), after(failed, runs + 1)
        return tuple(rate * w + (1 - rate) * b for w, b in zip(worse, better, strict=True))  # type: ignore[return-value]

    return after(0, 0)


@pytest.mark.parametrize("usual", [0.2, 0.4, 0.6, 0.8])
def test_programs_as_flaky_as_the_input_are_accepted_and_rarer_failures_are_not(
    usual: float,
) -> None:
    test = SequentialTest(usual, max_runs=100)
    assert chances(test, usual)[0] > 0.94
    assert chances(test, usual / 4)[0] < 0.015
    assert chances(test, usual / 16)[0] < 0.0001
    assert chances(test, 0.0)[0] == 0


@pytest.mark.parametrize(
    ("usual", "healthy", "failing"), [(0.8, 3, 7), (0.6, 4, 10), (0.4, 8, 16), (0.2, 18, 34)]
)
def test_expected_runs_per_verdict(usual: float, healthy: int, failing: int) -> None:
    test = SequentialTest(usual, max_runs=100)
    assert chances(test, 0.0)[1] <= healthy
    assert chances(test, usual)[1] <= failing


def test_two_passing_runs_reject_if_the_input_failed_every_time() -> None:
    test = SequentialTest.after(Rate(5, 5))
    assert [test.decide(Rate(0, runs)) for runs in range(3)] == [None, None, False]
    assert [test.decide(Rate(runs, runs)) for runs in range(5)] == [None] * 4 + [True]


def test_the_number_of_runs_is_bounded() -> None:
    test = SequentialTest(0.1, max_runs=7)
    for failed in range(8):
        assert test.decide(Rate(failed, 7)) is not None
    assert test.decide(Rate(0, 7)) is False
