"""Candidates that a compiler would reject cost no run, and do not affect the result."""

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from oracles import Kind, Limits, Outcome, Signature
from reducer.ir import PlainText
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import ConditionName, Refusal, Refused, Verifier
from reducer.search.judge import Judge
from reducer.search.query import Observers
from reducer.search.screening import MAX_SCREENED_OPS, InvalidRates
from tests.support.predicate import FAILURE, Memory, PredicateOracle

BASE = PlainText("base")
INVALID = Signature(Kind.INVALID_INPUT, "no syntax", "", "input", ())


class Turnstile:
    """A screen that passes texts without `bad`."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def passes(self, texts: Sequence[str], base: str) -> list[bool]:
        assert base == BASE.text
        self.batches.append(list(texts))
        return ["bad" not in text for text in texts]


def search(
    texts: Sequence[str], *, jobs: int = 1, screen: Turnstile | None = None, base: PlainText = BASE
) -> tuple[int | None, PredicateOracle, Turnstile]:
    """The position of the first text that contains `yes`."""
    oracle = PredicateOracle(lambda text: "yes" in text)
    screen = screen or Turnstile()
    judge = Judge(oracle, Memory(), jobs=jobs, target=FAILURE, conditions=[Verifier(screen)])
    try:
        candidates = [Candidate(PlainText(text), "test") for text in texts]
        hit = judge.first_interesting(candidates, base)
    finally:
        judge.close()
    return (None if hit is None else hit[0]), oracle, screen


def test_rejected_candidates_are_not_run() -> None:
    found, oracle, _ = search(["bad 1", "no 2", "bad 3", "no 4", "bad 5", "yes 6"])
    assert found == 5
    assert oracle.texts == ["no 2", "no 4", "yes 6"]


def test_the_result_does_not_depend_on_workers() -> None:
    texts = [f"{'bad' if n % 3 else 'no'} {n}" for n in range(50)]
    texts[37:41] = ["yes bad", "yes 38", "bad", "yes 40"]
    assert {search(texts, jobs=jobs)[0] for jobs in (1, 2, 5)} == {38}


def test_batches_grow_but_do_not_reach_the_end() -> None:
    _, _, screen = search([f"no {n}" for n in range(6)] + ["yes"] + ["no"] * 500)
    assert [len(batch) for batch in screen.batches] == [4, 4]


def test_candidates_of_a_large_module_are_not_checked() -> None:
    large = PlainText("line\n" * (MAX_SCREENED_OPS + 1))
    _, oracle, screen = search(["bad 1", "bad 2"], base=large)
    assert oracle.texts == ["bad 1", "bad 2"]
    assert not screen.batches


def test_a_large_candidate_is_run_unchecked() -> None:
    _, oracle, screen = search(["bad\n" * (MAX_SCREENED_OPS + 1), "bad 2"])
    assert len(oracle.texts) == 1
    assert screen.batches == [["bad 2"]]


def test_without_a_base_nothing_is_checked() -> None:
    oracle = PredicateOracle(lambda text: False)
    judge = Judge(oracle, Memory(), target=FAILURE, conditions=[Verifier(Turnstile())])
    assert judge.first_interesting([Candidate(PlainText("bad"), "test")]) is None
    assert oracle.texts == ["bad"]
    judge.close()


def test_screening_stops_if_nearly_all_are_valid() -> None:
    rates = InvalidRates()
    assert rates.is_worth_screening("new")
    for _ in range(20):
        rates.add("sound", invalid=False)
    assert not rates.is_worth_screening("sound")
    assert not rates.is_worth_screening("new")
    rates.add("faulty", invalid=True)
    assert rates.is_worth_screening("faulty")
    assert rates.is_worth_screening("new")
    assert not rates.is_worth_screening("sound")


def test_an_unchecked_invalid_candidate_starts_screening() -> None:
    screen = Turnstile()
    judge = Judge(Rejecting(), Memory(), target=FAILURE, conditions=[Verifier(screen)])
    for start in range(0, 40, 4):
        texts = [f"no {n}" for n in range(start, start + 4)]
        judge.first_interesting((Candidate(PlainText(t), "test") for t in texts), BASE)
    checked = len(screen.batches)
    assert 0 < checked < 10
    texts = [f"bad {n}" for n in range(20)]
    judge.first_interesting((Candidate(PlainText(t), "test") for t in texts), BASE)
    assert judge.costs.by_verdict[Verdict.INVALID] == 1
    texts = [f"bad {n}" for n in range(20, 40)]
    judge.first_interesting((Candidate(PlainText(t), "test") for t in texts), BASE)
    assert judge.costs.by_verdict[Verdict.INVALID] == 1
    judge.close()


class Rejecting(PredicateOracle):
    """A compiler that rejects texts with `bad`."""

    def __init__(self) -> None:
        super().__init__(lambda text: False)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        outcome = super().run(text, cancel=cancel, limits=limits)
        bad = "bad" in str(text)
        return replace(outcome, kind=Kind.INVALID_INPUT, signature=INVALID) if bad else outcome


def test_known_outcomes_need_no_check() -> None:
    oracle = PredicateOracle(lambda text: False)
    screen = Turnstile()
    judge = Judge(oracle, Memory(), target=FAILURE, conditions=[Verifier(screen)])
    judge.run("no 1", 1)
    judge.first_interesting([Candidate(PlainText("no 1"), "test")], BASE)
    assert not screen.batches
    judge.close()


@pytest.mark.parametrize("jobs", [1, 2, 5, 8])
def test_after_the_first_invalid_candidate_verdicts_do_not_depend_on_workers(
    jobs: int,
) -> None:
    """Nothing was invalid before, so workers have run ahead unchecked when the first one is."""
    judged: list[str] = []
    refused: list[ConditionName] = []
    oracle = PredicateOracle(lambda text: "yes" in text)
    usual = oracle.run

    def run(text: str, **_: object) -> Outcome:
        return Outcome(INVALID.kind, INVALID, 1) if "bad" in text else usual(text)

    oracle.run = run  # type: ignore[method-assign, assignment]
    judge = Judge(
        oracle,
        Memory(),
        jobs=jobs,
        target=FAILURE,
        conditions=[Verifier(Turnstile())],
        observers=Observers(
            on_judged=lambda candidate, _: judged.append(candidate.text),
            on_refused=lambda one: refused.append(one.refusal.condition),
        ),
    )

    def first_of(*texts: str) -> tuple[int, object] | None:
        return judge.first_interesting([Candidate(PlainText(t), "test") for t in texts], BASE)

    assert first_of(*(f"no {n}" for n in range(100))) is None
    judged.clear()
    refused.clear()
    charged = judge.costs.charged
    hit = first_of("no", "bad 1", "bad 2", "no 3", "bad 4", "bad 5", "yes 6", "bad 7")
    judge.close()
    assert hit is not None and hit[0] == 6
    assert judged == ["no", "bad 1", "no 3", "yes 6"]
    passes, verifier = ConditionName.FAILS, ConditionName.VERIFIER
    assert refused == [passes, ConditionName.ACCEPTED, verifier, passes, verifier, verifier]
    assert judge.costs.charged - charged == 3  # "no 3" was run before


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_what_was_refused_when_it_was_made_is_told_in_its_turn(jobs: int) -> None:
    """What follows the accepted candidate does not count, however far workers are ahead."""
    refused: list[str] = []
    judge = Judge(
        PredicateOracle(lambda text: "yes" in text),
        Memory(),
        jobs=jobs,
        target=FAILURE,
        conditions=[Verifier(Turnstile())],
        observers=Observers(on_refused=lambda one: refused.append(one.origin)),
    )

    def first_of(*names: str) -> object:
        made = Refusal(ConditionName.SMALLER)
        return judge.first_interesting(
            [
                Refused(name, made) if "large" in name else Candidate(PlainText(name), name)
                for name in names
            ],
            BASE,
        )

    assert first_of("large 1", "bad 1", "large 2", "no", "large 3", "yes", "large 4", "bad 2")
    assert refused == ["large 1", "bad 1", "large 2", "no", "large 3"]
    refused.clear()
    assert first_of("large 1", "bad 1", "large 2") is None
    assert refused == ["large 1", "bad 1", "large 2"]
    judge.close()


def test_commands_that_are_tried_say_nothing_of_programs() -> None:
    """What was screened would otherwise depend on how many flags there are."""
    screen, oracle = Turnstile(), PredicateOracle(lambda text: "yes" in text)
    judge = Judge(oracle, Memory(), target=FAILURE, conditions=[Verifier(screen)])
    tried = [PredicateOracle(lambda text: False) for _ in range(40)]
    for number, one in enumerate(tried):
        one.key = f"command {number}"
    commands = [Candidate(BASE, "commands", oracle=one) for one in tried]
    assert judge.first_interesting(commands, BASE) is None
    assert screen.batches == [], "the program is valid already"
    programs = [Candidate(PlainText(text), "test") for text in ("bad 1", "yes 2")]
    assert judge.first_interesting(programs, BASE) == (1, programs[1])
    assert screen.batches == [["bad 1", "yes 2"]]
    judge.close()
