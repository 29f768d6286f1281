"""Searches that are written as functions, over values of several kinds."""

from collections.abc import Sequence
from functools import partial

import pytest

from oracles import Limits, Oracle
from reducer.asking import Budget, Stopped
from reducer.ir import PlainText
from reducer.search.candidate import Candidate, Verdict
from reducer.search.inquiry import Questions, boundary, inquire
from reducer.search.judge import Judge
from tests.support.predicate import FAILURE, Memory, PredicateOracle

DOCUMENT = PlainText("x.op")


def candidate(value: object) -> Candidate[PlainText]:
    return Candidate(PlainText(str(value)), "test")


def judge_of(last: int, jobs: int = 1, seconds: float = 0.0, memory: Memory | None = None) -> Judge:
    """Numbers up to `last` fail."""
    oracle = PredicateOracle(lambda text: int(text) <= last, delay=lambda text: seconds)
    return Judge(oracle, memory if memory is not None else Memory(), target=FAILURE, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    ("ends", "last", "first", "found"),
    [
        ((0, 100), 41, None, (41, 41)),
        ((0, 100), 0, None, (0, None)),
        ((0, 100), 99, 99, (99, 99)),
        ((-1, 0), 7, -1, (-1, None)),
        ((-1, 9), 3, 8, (3, 3)),
    ],
)
def test_a_boundary_is_the_same_for_any_number_of_workers(
    jobs: int,
    ends: tuple[int, int],
    last: int,
    first: int | None,
    found: tuple[int, int | None],
) -> None:
    judge = judge_of(last, jobs, seconds=0.05 if jobs > 1 else 0.0)
    search = partial(boundary, *ends, lambda number: (number,), first)
    assert inquire(judge, DOCUMENT, search, candidate) == found
    assert judge.costs.charged <= 8
    judge.close()


def least_subset(names: Sequence[str]) -> Questions[frozenset[str], frozenset[str]]:
    """Names without those that are not needed, one after another."""
    left = frozenset(names)
    for name in names:
        left = (yield [left - {name}]).taken or left
    return left


def made_of(names: frozenset[str]) -> Candidate[PlainText]:
    return Candidate(PlainText(" ".join(sorted(names))), "drop names")


def test_what_is_accepted_is_told_before_the_search_goes_on() -> None:
    oracle = PredicateOracle(lambda text: "c" in text)
    judge, seen = Judge(oracle, Memory(), target=FAILURE), list[str]()
    search = partial(least_subset, "abcd")
    accept = lambda one: seen.append(f"{one.text} after {len(oracle.texts)}")  # noqa: E731
    assert inquire(judge, DOCUMENT, search, made_of, accept) == {"c"}
    assert seen == ["b c d after 1", "c d after 2", "c after 4"]
    judge.close()


def test_a_search_that_was_stopped_is_resumed_by_what_is_remembered() -> None:
    memory = Memory()
    first = judge_of(41, memory=memory).with_(budget=Budget(calls=3))
    search = partial(boundary, 0, 100, lambda number: (number,))
    with pytest.raises(Stopped):
        inquire(first, DOCUMENT, search, candidate)
    again = judge_of(41, memory=memory)
    assert inquire(again, DOCUMENT, search, candidate) == (41, 41)
    assert (first.costs.calls, again.costs.calls, again.costs.cached) == (3, 4, 3)
    first.close()
    again.close()


@pytest.mark.parametrize("jobs", [1, 3])
def test_commands_are_remembered_apart_and_their_other_failures_are_no_finds(jobs: int) -> None:
    """The program is the same, so only the command tells the questions apart."""

    def command(name: str) -> Oracle:
        oracle = PredicateOracle(lambda text: name == "2", delay=lambda text: 0.05)
        oracle.key = f"command {name} "
        return oracle

    oracles = {name: command(name) for name in "0123"}
    own = PredicateOracle(lambda text: True)
    judge = Judge(own, Memory(), target=FAILURE, jobs=jobs, limits=Limits(9.0))

    def first() -> Questions[str, tuple[str | None, Verdict | None]]:
        reply = yield sorted(oracles)
        again = yield ["3"]
        return reply.taken, again.verdict

    made = lambda name: Candidate(DOCUMENT, "test", oracle=oracles[name])  # noqa: E731
    assert inquire(judge, DOCUMENT, first, made) == ("2", Verdict.NOT_INTERESTING)
    assert own.texts == []
    assert judge.costs.charged == 4
    judge.close()
