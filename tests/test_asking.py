"""One service for all who ask programs about texts: what is remembered, counted, and stopped."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Kind, Limits, Outcome, Signature
from reducer.asking import Asking, Budget, Memory, Stopped
from tests.support.predicate import FAILED, PredicateOracle

SLOW = replace(FAILED, seconds=9.0, cpu_seconds=2.0)
CANCELLED = Outcome(Kind.CANCELLED, Signature(Kind.CANCELLED), cpu_seconds=1.0)


def oracle(outcome: Outcome = SLOW) -> PredicateOracle:
    return PredicateOracle(lambda text: True, failure=outcome)


def spent(asking: Asking) -> tuple[int, int, int, float]:
    cost = asking.cost
    return cost.calls, cost.charged, cost.cached, cost.cpu_seconds


def test_an_answer_is_remembered_under_its_key() -> None:
    asking, asked = Asking(Memory()), oracle()
    for text, key in [("a", "x"), ("a", "x"), ("a", "y"), ("a", ""), ("a", "")]:
        assert asking.ask(asked, text, key) is SLOW
    assert asked.texts == ["a"] * 4
    assert spent(asking) == (4, 4, 1, 8.0)


def test_what_was_run_ahead_is_charged_and_remembered_but_not_counted_again() -> None:
    asking, asked = Asking(Memory(), ahead=lambda key, cancel, limits: SLOW), oracle()
    assert asking.ask(asked, "a", "x") is SLOW
    assert not asked.texts
    assert spent(asking) == (0, 1, 0, 0.0)
    assert asking.known("x") is SLOW


def test_a_cancelled_run_is_no_answer() -> None:
    """Its time was spent, though."""
    asking = Asking(Memory())
    assert asking.ask(oracle(CANCELLED), "a", "x", cancel=threading.Event()) is CANCELLED
    assert spent(asking) == (0, 0, 0, 1.0)
    assert asking.known("x") is None


@pytest.mark.parametrize(
    ("budget", "runs"),
    [
        (Budget(calls=2), 2),
        (Budget(cpu=3.0), 2),
        (Budget(until=time.monotonic() - 1), 0),
        (Budget(calls=0), 0),
    ],
)
def test_nothing_is_run_beyond_the_budget_but_answers_stay_known(
    budget: Budget, runs: int, tmp_path: Path
) -> None:
    asking, asked = Asking(Memory(), budget), oracle()
    with pytest.raises(Stopped, match="budget"):
        for number in range(4):
            asking.ask(asked, "a", str(number + 1))
    assert len(asked.texts) == runs
    for number in range(runs):
        assert asking.ask(asked, "a", str(number + 1)) is SLOW
    with pytest.raises(Stopped, match="budget"):
        asking.run(["true"], tmp_path)
    assert asking.run(["true"], tmp_path, charged=False).exit_code == 0
    assert asking.cost.calls == runs


def test_an_interrupt_ends_everything_and_keeps_what_has_ended(tmp_path: Path) -> None:
    asking = Asking(Memory())

    def run(text: str, *, cancel: threading.Event | None, limits: Limits | None) -> Outcome:
        assert cancel is asking.cancel
        cancel.set()
        return SLOW

    for _ in range(2):
        with pytest.raises(Stopped, match="interrupted"):
            asking.ask(oracle(), "a", "x" if not asking.cancel.is_set() else "y", run=run)
    assert asking.known("x") is SLOW
    assert asking.known("y") is None
    with pytest.raises(Stopped, match="interrupted"):
        asking.run(["true"], tmp_path)


def test_limits_are_those_of_the_question_the_service_or_the_oracle() -> None:
    seen: list[Limits | None] = []

    def run(text: str, *, cancel: threading.Event | None, limits: Limits | None) -> Outcome:
        seen.append(limits)
        return SLOW

    asked, own, its = oracle(), Limits(2.0), Limits(3.0)
    asked.limits = Limits(1.0)
    Asking().ask(asked, "a", run=run)
    Asking(limits=own).ask(asked, "a", run=run)
    Asking(limits=own).ask(asked, "a", limits=its, run=run)
    assert seen == [asked.limits, own, its]
