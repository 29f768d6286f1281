"""What is asked about an input before anything is cut."""

import threading
from dataclasses import replace

import pytest

from oracles import Limits, Outcome
from oracles.compiler import CompilerOracle
from oracles.regression import Regression
from reducer.search.evaluator import Evaluator
from reducer.session.errors import NotInteresting
from reducer.session.sanity import Sanity
from tests.support.predicate import FAILED, PASSED, Memory, PredicateOracle


class Good(CompilerOracle):
    """A release on which every program ends like that; it remembers the limits that it got."""

    key = "good"

    def __init__(self, ends: Outcome) -> None:
        self.ends = ends
        self.limited: list[Limits | None] = []

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        self.limited.append(limits)
        return self.ends


def sanity() -> Sanity:
    return Sanity(Evaluator(PredicateOracle(lambda text: True), Memory()), "input", 1)


def test_a_good_release_may_take_a_multiple_of_what_the_input_took_it() -> None:
    good = Good(replace(PASSED, seconds=100.0, cpu_seconds=150.0))
    regression = Regression("1.0", good)
    checks = sanity()
    checks.evaluator.limits = Limits(seconds=3600.0)
    checks.compare(regression)
    regression.review("smaller", FAILED, cancel=threading.Event(), limits=Limits(seconds=30.0))
    assert good.limited == [Limits(seconds=3600.0), Limits(seconds=400.0, cpu=600.0)]


def test_a_good_release_that_fails_on_the_input_is_none() -> None:
    with pytest.raises(NotInteresting, match=r"fails with 1\.0 too"):
        sanity().compare(Regression("1.0", Good(FAILED)))
