"""The time limit follows the best result, downwards only."""

from dataclasses import replace

import pytest

from oracles import Kind, Limits, Outcome, Signature
from oracles.remembering import digest_of
from reducer.ir import PlainText
from reducer.search.evaluator import Evaluator
from reducer.session.time_limit import TimeLimit
from tests.support.predicate import Memory, PredicateOracle

FIRST = Outcome(Kind.CRASH, Signature(Kind.CRASH), seconds=100.0, cpu_seconds=150.0)


@pytest.fixture
def evaluator() -> Evaluator:
    return Evaluator(PredicateOracle(lambda text: True), Memory())


def accept(limit: TimeLimit, evaluator: Evaluator, text: str, seconds: float, cpu: float) -> None:
    outcome = replace(FIRST, seconds=seconds, cpu_seconds=cpu)
    evaluator.cache.put(digest_of(text), outcome, 1)
    limit.adapt(PlainText(text))


def limits(evaluator: Evaluator) -> tuple[float | None, float | None]:
    return evaluator.limits.seconds, evaluator.limits.cpu


def test_a_candidate_may_take_a_multiple_of_what_the_best_took(evaluator: Evaluator) -> None:
    limit = TimeLimit(evaluator, Limits(memory=1 << 30), FIRST)
    assert limits(evaluator) == (400.0, 600.0)
    accept(limit, evaluator, "smaller", 20.0, 25.0)
    assert limits(evaluator) == (80.0, 100.0)
    assert evaluator.limits.memory == 1 << 30


def test_it_never_grows_and_is_never_tiny(evaluator: Evaluator) -> None:
    limit = TimeLimit(evaluator, Limits(), FIRST)
    accept(limit, evaluator, "quick", 0.1, 0.1)
    assert limits(evaluator) == (30.0, 30.0)
    accept(limit, evaluator, "odd", 25.0, 25.0)
    assert limits(evaluator) == (30.0, 30.0)


def test_the_limit_of_the_user_is_the_longest(evaluator: Evaluator) -> None:
    limit = TimeLimit(evaluator, Limits(seconds=200.0), FIRST)
    assert limits(evaluator) == (200.0, 600.0)
    accept(limit, evaluator, "smaller", 10.0, 10.0)
    assert limits(evaluator) == (40.0, 40.0)


def test_where_the_failure_is_a_hang_the_limit_defines_it(evaluator: Evaluator) -> None:
    hang = Outcome(Kind.TIMEOUT, Signature(Kind.TIMEOUT), seconds=60.0)
    limit = TimeLimit(evaluator, Limits(seconds=60.0), hang)
    accept(limit, evaluator, "smaller", 1.0, 1.0)
    assert limits(evaluator) == (60.0, None)


def test_what_only_a_shorter_command_has_seen_says_nothing(evaluator: Evaluator) -> None:
    limit = TimeLimit(evaluator, Limits(), FIRST)
    limit.adapt(PlainText("never run by the full command"))
    assert limits(evaluator) == (400.0, 600.0)
