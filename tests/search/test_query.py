"""What each run may use, and views of one judge."""

from dataclasses import replace

from oracles import Kind, Limits, Outcome, Signature
from reducer.asking import Budget
from reducer.ir import PlainText
from reducer.search.candidate import Candidate
from reducer.search.conditions import Refused
from reducer.search.judge import Judge
from reducer.search.query import Query, RunLimits
from reducer.search.state import SearchState
from tests.support.predicate import FAILURE, Memory, PredicateOracle

FIRST = Outcome(Kind.CRASH, Signature(Kind.CRASH), seconds=100.0, cpu_seconds=150.0)


def took(seconds: float) -> Outcome:
    return replace(FIRST, seconds=seconds, cpu_seconds=seconds)


def adapted(given: Limits, *outcomes: Outcome) -> Limits:
    """The limits after these outcomes, one after another."""
    limits = RunLimits(given, adapts=True)
    for outcome in outcomes:
        limits.tighten(outcome)
    return limits.current


def test_a_candidate_may_take_a_multiple_of_what_the_best_took() -> None:
    memory = Limits(memory=1 << 30)
    assert adapted(memory, FIRST) == replace(memory, seconds=400.0, cpu=600.0)
    assert adapted(memory, FIRST, took(20.0)) == replace(memory, seconds=80.0, cpu=80.0)


def test_it_never_grows_and_is_never_tiny() -> None:
    assert adapted(Limits(), FIRST, took(0.1)) == Limits(seconds=30.0, cpu=3.0)
    assert adapted(Limits(), FIRST, took(0.1), took(25.0)) == Limits(seconds=30.0, cpu=3.0)


def test_the_limit_of_the_user_is_the_longest() -> None:
    assert adapted(Limits(seconds=200.0), FIRST) == Limits(seconds=200.0, cpu=600.0)
    assert adapted(Limits(seconds=200.0), FIRST, took(10.0)) == Limits(seconds=40.0, cpu=40.0)


def test_limits_that_do_not_adapt_stay() -> None:
    limits = RunLimits(Limits(seconds=60.0))
    limits.tighten(took(1.0))
    assert limits.current == Limits(seconds=60.0)


def test_patience_scales_limits_that_there_are() -> None:
    query = Query(PredicateOracle(lambda text: True), RunLimits(Limits(seconds=2.0)), patience=4)
    assert query.scaled_limits == Limits(seconds=8.0)


def test_views_share_outcomes_and_costs_and_nothing_else() -> None:
    full = PredicateOracle(lambda text: text == "small")
    early = PredicateOracle(lambda text: True)
    early.key = "early"
    judge = Judge(full, Memory(), target=FAILURE, budget=Budget(calls=2))
    view = judge.with_(oracle=early)
    large = PlainText("large")
    assert view.fails(large) and not judge.fails(large)
    assert judge.costs is view.costs and view.costs.calls == 2
    assert judge.oracle is full
    free = judge.with_(budget=Budget())
    small = Candidate(PlainText("small"), "test")
    assert free.first_interesting([small]) == (0, small)
    assert judge.known("small") == free.known("small")
    assert view.known("small") is None
    judge.close()


def test_what_was_asked_with_more_patience_is_asked_again() -> None:
    oracle = PredicateOracle(lambda text: True)
    judge = Judge(oracle, Memory(), target=FAILURE)
    for view in (judge, judge.with_(patience=4), judge):
        assert view.fails(PlainText("text"))
    assert oracle.texts == ["text", "text"]
    judge.close()


def test_every_view_wants_smaller_programs() -> None:
    judge = Judge(PredicateOracle(lambda text: True), Memory(), target=FAILURE)
    views = [judge, judge.aside(PredicateOracle(lambda text: True), FAILURE)]
    views += [judge.by_failure(), judge.unstoppable()]
    for view in views:
        state = SearchState(PlainText("a\n"), PlainText, view, lambda candidate: None)
        assert isinstance(state.made(lambda: "a\nb\n", "add lines"), Refused)
    judge.close()
