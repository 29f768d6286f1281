"""Idle workers run what will probably be asked next, and nothing else changes."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from oracles import Kind, Limits, Outcome, Signature
from reducer.ir import PlainText
from reducer.search.candidate import Candidate
from reducer.search.judge import Judge
from reducer.search.plan import Answer, Plan, Proposal
from reducer.search.query import RunLimits
from reducer.search.sequential import Rate, SequentialTest
from tests.support.predicate import FAILURE, Endless, Memory, PredicateOracle

PATIENCE = 60.0  # seconds to wait for runs that should start at once


class Unknown:
    """A document of which nothing can be concluded from what candidates lack."""

    text, op_count, type_cost = "", 0, (0, 0)


@dataclass(frozen=True)
class Steps(Plan[PlainText]):
    """Groups of texts: one of a group is accepted, or the next group follows."""

    groups: tuple[tuple[str, ...], ...]
    accepted: tuple[tuple[str, ...], ...] = ()
    document: Any = field(default_factory=Unknown, compare=False)

    def candidates(self) -> Iterator[Proposal[PlainText]]:
        for text in self.groups[0]:
            yield Proposal(Candidate(PlainText(text), "test"))

    def if_accepted(
        self, place: object, candidate: Candidate[PlainText], refused: Sequence[Answer]
    ) -> Plan[PlainText] | None:
        return Steps(self.accepted) if self.accepted else None

    def if_refused(self, refused: Sequence[Answer]) -> Plan[PlainText] | None:
        return Steps(self.groups[1:]) if len(self.groups) > 1 else None


class Meeting(PredicateOracle):
    """Runs of these texts only end once all of them have started."""

    def __init__(self, texts: Sequence[str], fails: Callable[[str], bool]) -> None:
        super().__init__(fails)
        self.barrier = threading.Barrier(len(texts))
        self.expected = set(texts)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        if text in self.expected:
            self.barrier.wait(PATIENCE)
        return super().run(text, cancel=cancel, limits=limits)


def ask(judge: Judge, plan: Steps) -> str | None:
    candidates = [proposal.candidate for proposal in plan.candidates()]
    hit = judge.first_interesting(candidates, plan=plan)
    return hit and hit[1].text


def test_what_follows_a_rejection_is_run_meanwhile() -> None:
    plan = Steps((("a", "b"), ("c",), ("d",)))
    oracle = Meeting("abcd", lambda text: False)
    judge = Judge(oracle, Memory(), jobs=4, target=FAILURE)
    assert [ask(judge, Steps(plan.groups[n:])) for n in range(3)] == [None] * 3
    judge.close()
    assert sorted(oracle.texts) == ["a", "b", "c", "d"]
    assert judge.costs.charged == judge.costs.calls == 4


def test_what_follows_an_acceptance_is_run_meanwhile() -> None:
    plan = Steps((("a",),), accepted=(("b",),))
    judge = Judge(Meeting("ab", lambda text: True), Memory(), jobs=2, target=FAILURE)
    assert ask(judge, plan) == "a"
    assert ask(judge, Steps(plan.accepted)) == "b"
    judge.close()
    assert judge.costs.charged == judge.costs.calls == 2


def test_what_nobody_asks_about_leaves_no_trace_but_its_cost() -> None:
    memory, plan = Memory(), Steps((("a",), ("b",)))
    judge = Judge(Meeting("ab", lambda text: False), memory, jobs=2, target=FAILURE)
    assert ask(judge, plan) is None
    judge.close()
    assert len(memory.outcomes) == judge.costs.charged == 1
    assert judge.known("a") is not None and judge.known("b") is None


def test_a_single_worker_runs_nothing_ahead() -> None:
    oracle = PredicateOracle(lambda text: False)
    judge = Judge(oracle, Memory(), jobs=1, target=FAILURE)
    ask(judge, Steps((("a",), ("b",))))
    judge.close()
    assert oracle.texts == ["a"]


def test_the_runs_of_a_flaky_program_are_made_side_by_side() -> None:
    """Four failures in a row accept it; what is left when the test has decided is ended."""
    together = threading.Barrier(4)

    class Flaky(PredicateOracle):
        def run(
            self,
            text: str | bytes,
            *,
            cancel: threading.Event | None = None,
            limits: Limits | None = None,
        ) -> Outcome:
            outcome = super().run(text)
            if len(self.texts) <= 4:
                together.wait(PATIENCE)
                return outcome
            assert cancel is not None and cancel.wait(PATIENCE)
            return replace(outcome, kind=Kind.CANCELLED)

    oracle = Flaky(lambda text: True)
    test = SequentialTest.after(Rate(5, 5))
    judge = Judge(oracle, Memory(), jobs=4, target=FAILURE, test=test)
    assert judge.first_interesting([Candidate(PlainText("a"), "test")]) is not None
    judge.close()
    assert judge.costs.charged == 4


def test_no_run_of_a_flaky_program_goes_on_when_one_was_enough() -> None:
    """What a parser rejects is not run again, however many runs of it have begun."""
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    class Rejecting(PredicateOracle):
        def run(
            self,
            text: str | bytes,
            *,
            cancel: threading.Event | None = None,
            limits: Limits | None = None,
        ) -> Outcome:
            outcome = super().run(text)
            if cancel is judge.stop:
                assert all(begun.acquire(timeout=PATIENCE) for _ in range(3))
                signature = Signature(Kind.INVALID_INPUT)
                return replace(outcome, kind=Kind.INVALID_INPUT, signature=signature)
            begun.release()
            assert cancel is not None and cancel.wait(PATIENCE)
            ended.release()
            return replace(outcome, kind=Kind.CANCELLED)

    test = SequentialTest.after(Rate(5, 5))
    oracle = Rejecting(lambda text: True)
    judge = Judge(oracle, Memory(), jobs=4, target=FAILURE, test=test)
    assert judge.first_interesting([Candidate(PlainText("a"), "test")]) is None
    assert all(ended.acquire(timeout=10) for _ in range(3))
    judge.close()


def test_candidates_of_a_list_are_run_side_by_side() -> None:
    candidates = [Candidate(PlainText(text), "test") for text in "abc"]
    judge = Judge(Meeting("abc", lambda text: text == "c"), Memory(), jobs=3, target=FAILURE)
    assert judge.first_interesting(candidates, PlainText("base")) == (2, candidates[2])
    judge.close()


def test_a_program_is_run_once_however_often_it_will_be_asked_about() -> None:
    """It takes no worker from others, and what follows its rejections is as likely as before."""
    plan = Steps((("a", "b"), *[("b",)] * 60, ("c",)))
    judge = Judge(Meeting("abc", lambda text: False), Memory(), jobs=3, target=FAILURE)
    assert ask(judge, plan) is None
    judge.close()
    assert judge.costs.calls == 3


@dataclass(frozen=True)
class Tree(Plan[PlainText]):
    """One question, and what is asked after either answer, which are as likely as each other."""

    text: str
    accepted: "Tree | None" = None
    rejected: "Tree | None" = None
    document: Any = field(default_factory=Unknown, compare=False)

    def candidates(self) -> Iterator[Proposal[PlainText]]:
        yield Proposal(Candidate(PlainText(self.text), "test"), chance=0.5)

    def if_accepted(
        self, place: object, candidate: Candidate[PlainText], refused: Sequence[Answer]
    ) -> "Tree | None":
        return self.accepted

    def if_refused(self, refused: Sequence[Answer]) -> "Tree | None":
        return self.rejected


def test_a_program_is_run_once_on_whatever_way_the_search_comes_to_it() -> None:
    last = Tree("d", Tree("e"), Tree("e"))
    plan = Tree("a", Tree("b", last, last), Tree("c", last, last))
    judge = Judge(Meeting("abcde", lambda text: False), Memory(), jobs=5, target=FAILURE)
    first = [Candidate(PlainText("a"), "test")]
    assert judge.first_interesting(first, plan=plan) is None, "all five ran at once"
    judge.close()


def test_what_is_wanted_starts_as_soon_as_a_worker_is_free() -> None:
    """Nobody waits for a run then, so nobody looks whether one has ended."""
    gate, begun = threading.Event(), threading.Event()

    def fails(text: str) -> bool:
        begun.set() if text == "wanted" else gate.wait(PATIENCE)
        return False

    judge = Judge(PredicateOracle(fails), Memory(), jobs=2, target=FAILURE)
    for text in ("first", "second"):
        judge.prepare(PlainText(text))
    judge.foresee(Steps((("wanted",),)))
    assert not begun.wait(0.05)
    gate.set()
    assert begun.wait(PATIENCE)
    judge.close()


class Errands(PredicateOracle):
    """Two errands keep both workers busy until a candidate runs, which waits for the third."""

    def __init__(self, *, waits: bool) -> None:
        super().__init__(lambda text: text == "good")
        self.waits = waits
        self.asked, self.begun = threading.Event(), threading.Event()

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        if text in ("first", "second"):
            self.asked.wait(PATIENCE)
        elif text == "third":
            self.begun.set()
        elif self.waits:
            self.asked.set()
            assert self.begun.wait(PATIENCE), "the third errand did not start"
        elif text == "bad":
            self.begun.wait(0.5)
        return super().run(text, cancel=cancel, limits=limits)


def test_an_errand_waits_for_a_free_worker() -> None:
    oracle = Errands(waits=True)
    judge = Judge(oracle, Memory(), jobs=2, target=FAILURE)
    for text in ("first", "second", "third"):
        judge.prepare(PlainText(text))
    assert ask(judge, Steps((("bad",),))) is None
    judge.close()
    assert sorted(oracle.texts) == ["bad", "first", "second", "third"]


def test_an_errand_starts_as_soon_as_a_worker_is_free_even_if_nobody_searches() -> None:
    begun = threading.Event()

    def fails(text: str) -> bool:
        if text == "last":
            begun.set()
        return False

    judge = Judge(PredicateOracle(fails), Memory(), jobs=2, target=FAILURE)
    for text in ("first", "second", "third", "fourth", "last"):
        judge.prepare(PlainText(text))
    assert begun.wait(PATIENCE)
    judge.close()


def test_what_is_urgent_takes_the_place_of_another_run() -> None:
    oracle = Endless("ab", lambda text: True)
    judge = Judge(oracle, Memory(), jobs=2, target=FAILURE)
    judge.foresee(Steps((("a", "b"),)))
    judge.prepare(PlainText("urgent"), urgent=True)
    assert judge.fails(PlainText("urgent"))
    assert judge.costs.calls == 1
    judge.close()


def test_what_is_urgent_and_already_runs_is_not_started_again() -> None:
    gate = threading.Event()

    def fails(text: str) -> bool:
        assert gate.wait(PATIENCE)
        return text == "b"

    oracle = PredicateOracle(fails)
    judge = Judge(oracle, Memory(), jobs=2, target=FAILURE)
    judge.foresee(Steps((("a", "b"),)))
    judge.prepare(PlainText("b"), urgent=True)
    gate.set()
    assert judge.fails(PlainText("b"))
    judge.close()
    assert oracle.texts.count("b") == 1


def test_an_errand_is_dropped_once_something_is_accepted() -> None:
    """It was about the program before."""
    oracle = Errands(waits=False)
    judge = Judge(oracle, Memory(), jobs=2, target=FAILURE)
    for text in ("first", "second", "third"):
        judge.prepare(PlainText(text))
    assert ask(judge, Steps((("good",),))) == "good"
    oracle.asked.set()
    assert ask(judge, Steps((("bad",),))) is None
    judge.close()
    assert "third" not in oracle.texts


def test_candidates_are_made_while_runs_last() -> None:
    """No run ends until more of them are made than there are workers."""
    made = threading.Event()

    class Many(Steps):
        def candidates(self) -> Iterator[Proposal[PlainText]]:
            for number, proposal in enumerate(super().candidates()):
                if number == 4:
                    made.set()
                yield proposal

    oracle = PredicateOracle(lambda text: not made.wait(PATIENCE))
    judge = Judge(oracle, Memory(), jobs=2, target=FAILURE)
    plan = Many((("a", "b", "c", "d", "e"),))
    first = [Candidate(PlainText("a"), "test")]
    assert judge.first_interesting(first, plan=plan) is None, "all were made in time"
    judge.close()


@pytest.mark.parametrize(("seconds", "runs"), [(1.0, 1), (50.0, 2)])
def test_a_run_that_todays_limits_would_have_ended_is_repeated(seconds: float, runs: int) -> None:
    """Limits tighten when something is accepted; a run ahead started under those before."""

    class Slow(Meeting):
        def run(self, text: str | bytes, **options: object) -> Outcome:
            outcome = super().run(text)
            changes = {"seconds": seconds} if text == "b" else {}
            return Outcome(**{**vars(outcome), **changes})  # type: ignore[arg-type]

    limits = RunLimits(Limits(seconds=100.0))
    oracle = Slow("ab", lambda text: False)
    judge = Judge(oracle, Memory(), jobs=2, target=FAILURE).with_(limits=limits)
    ask(judge, Steps((("a",), ("b",))))
    oracle.expected = set()
    limits.lower(Limits(seconds=40.0))
    assert ask(judge, Steps((("b",),))) is None
    judge.close()
    assert oracle.texts.count("b") == runs
