"""A call budget ends the search at the same candidate for any number of workers."""

import random
from collections.abc import Callable, Sequence

import pytest

from oracles import Kind, Outcome, Signature
from reducer.asking import Budget
from reducer.ir import PlainText
from reducer.search.candidate import Candidate
from reducer.search.conditions import SameFailure, Verifier
from reducer.search.judge import Judge, Stopped
from reducer.search.polish import reduce_to_fixpoint
from reducer.search.sequential import Rate, SequentialTest
from reducer.search.state import SearchState
from reducer.transformations import text_transformations
from tests.support.predicate import FAILURE, Memory, PredicateOracle

INPUT = "".join(f"line {n}\n" for n in range(60))
WORKERS = (1, 2, 4, 8)
INVALID = Outcome(Kind.INVALID_INPUT, Signature(Kind.INVALID_INPUT), 1)


def has(text: str, *numbers: int) -> bool:
    lines = text.splitlines()
    return all(f"line {n}" in lines for n in numbers)


def needing(*numbers: int) -> PredicateOracle:
    """An oracle that fails if all of these lines are present. Run times are random."""
    return PredicateOracle(
        lambda text: has(text, *numbers), delay=lambda text: random.random() / 500
    )


def accepted(judge: Judge, text: str = INPUT) -> list[str]:
    """The accepted texts of a search, followed by the reason if it was stopped."""
    steps: list[str] = []
    state = SearchState(
        PlainText(text),
        PlainText,
        judge.under(SameFailure(FAILURE)),
        lambda found: steps.append(found.document.text),
    )
    try:
        reduce_to_fixpoint(state, text_transformations(), lambda name: None)
    except Stopped as stopped:
        steps.append(stopped.reason)
    finally:
        judge.close()
    return steps


def for_any_workers(search: Callable[[int], list[str]]) -> list[str]:
    """The accepted texts; asserts that they are the same for any number of workers."""
    alone, *others = [search(jobs) for jobs in WORKERS]
    for jobs, steps in zip(WORKERS[1:], others, strict=True):
        assert steps == alone, f"{jobs} workers"
    return alone


@pytest.mark.parametrize("calls", [1, 3, 10, 25])
def test_the_steps_are_the_same_for_any_number_of_workers(calls: int) -> None:
    def search(jobs: int) -> list[str]:
        return accepted(Judge(needing(7, 22, 40, 51), Memory(), jobs=jobs, budget=Budget(calls)))

    assert for_any_workers(search)[-1] == "budget"


@pytest.mark.parametrize("calls", [10, 40])
def test_runs_that_a_flaky_failure_needs_count_each(calls: int) -> None:
    def search(jobs: int) -> list[str]:
        judge = Judge(needing(7, 22, 40, 51), Memory(), jobs=jobs, budget=Budget(calls))
        test = SequentialTest.after(Rate(runs=10, failed=8), 20)
        return accepted(judge.with_(test=test))

    assert for_any_workers(search)[-1] == "budget"


class Screen:
    """Rejects what the oracle considers invalid."""

    def passes(self, texts: Sequence[str], base: str) -> list[bool]:
        return [has(text, 11) for text in texts]


@pytest.mark.parametrize("calls", [5, 10, 25])
def test_screening_rejects_the_same_for_any_number_of_workers(calls: int) -> None:
    def search(jobs: int) -> list[str]:
        oracle = needing(7, 22, 40, 51)
        run = oracle.run
        oracle.run = lambda text, **_: run(text) if has(text, 11) else INVALID  # type: ignore[method-assign, assignment]
        judge = Judge(oracle, Memory(), jobs=jobs, budget=Budget(calls))
        return accepted(judge.under(Verifier(Screen())))

    assert for_any_workers(search)[-1] == "budget"


@pytest.mark.parametrize("jobs", WORKERS)
def test_hardly_more_is_run_than_the_budget_allows(jobs: int) -> None:
    """Only what may be asked is run ahead: nothing beyond what the budget still allows."""
    oracle = PredicateOracle(lambda text: False, delay=lambda text: 0.01)
    judge = Judge(oracle, Memory(), jobs=jobs, budget=Budget(calls=3))
    assert accepted(judge) == ["budget"]
    assert judge.costs.charged == 3
    assert len(oracle.texts) == judge.costs.calls <= 3 + min(3, jobs - 1)


def test_wasted_runs_are_counted_but_not_charged() -> None:
    oracle = needing(7, 22, 40, 51)
    oracle.delay = lambda text: 0.01  # so that some are still running when others decide
    judge = Judge(oracle, Memory(), jobs=8, budget=Budget(calls=25))
    accepted(judge)
    assert judge.costs.calls == len(oracle.texts) > judge.costs.charged == 25


@pytest.mark.parametrize("jobs", WORKERS)
def test_what_an_earlier_process_ran_costs_nothing(jobs: int) -> None:
    memory = Memory()
    before = accepted(Judge(needing(7, 22, 40, 51), memory, budget=Budget(calls=12)))
    after = accepted(Judge(needing(7, 22, 40, 51), memory, jobs=jobs, budget=Budget(calls=12)))
    assert after == accepted(Judge(needing(7, 22, 40, 51), Memory(), budget=Budget(calls=24)))
    assert after[: len(before) - 1] == before[:-1]


def test_speculative_runs_are_charged_when_they_are_used() -> None:
    """The second candidate's run is wasted next to the first; used later, it is charged."""
    oracle = PredicateOracle(lambda text: text == "first")
    judge = Judge(oracle, Memory(), jobs=2, budget=Budget(calls=2), target=FAILURE)
    first, second, third = (
        Candidate(PlainText(text), "test") for text in ("first", "second", "third")
    )
    assert judge.first_interesting([first, second]) == (0, first)
    assert judge.first_interesting([second]) is None
    assert judge.first_interesting([second, first]) == (1, first)  # both have been charged
    with pytest.raises(Stopped, match="budget"):
        judge.first_interesting([third])
    judge.close()
    assert "third" not in oracle.texts


def test_a_run_that_a_known_candidate_does_not_need_goes_to_the_next() -> None:
    known, new = (Candidate(PlainText(text), "cut") for text in ("line 1\n", "line 2\n"))
    memory = Memory()
    oracle = PredicateOracle(lambda text: has(text, 2))
    for candidates, position in (([known], None), ([known, new], 1)):
        judge = Judge(oracle, memory, target=FAILURE, jobs=2, budget=Budget(calls=1))
        found = judge.first_interesting(candidates)
        judge.close()
        assert (found and found[0]) == position
