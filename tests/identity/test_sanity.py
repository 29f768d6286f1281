"""Intermittent failures, simulated by an oracle with a seed."""

import random
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oracles import Kind, Limits, Outcome, Signature
from reducer.driver.records.record import Report
from reducer.errors import FlakyOracle, NotInteresting
from reducer.identity.advice import crashes_when_empty
from reducer.identity.sanity import measure, measure_with, most_frequent
from reducer.search.sequential import Rate, SequentialTest
from tests.support.predicate import FAILURE, PredicateOracle
from tests.support.reducing import reduced_by

OTHER = Signature(Kind.CRASH, "boom")
TEXT = "".join(f"line{number}\n" for number in range(12)) + "bad\nguard\n"


class FlakyOracleOf(PredicateOracle):
    """Fails at a rate that depends on the text; the n-th run of a text is the same every time."""

    def __init__(self, rate: dict[str, float], seed: int) -> None:
        super().__init__(lambda text: True)
        self.rates = rate
        self.seed = seed
        self.runs: dict[str, int] = {}
        self._lock = threading.Lock()

    def rate(self, text: str) -> float:
        """The highest rate whose words are all in the text."""
        return max([0.0, *(rate for word, rate in self.rates.items() if _has(text, word))])

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        assert isinstance(text, str)
        with self._lock:
            number = self.runs[text] = self.runs.get(text, 0) + 1
        fails = random.Random(f"{self.seed} {number} {text}").random() < self.rate(text)
        signature = FAILURE if fails else Signature(Kind.SUCCESS)
        return Outcome(signature.kind, signature, int(fails))


def _has(text: str, words: str) -> bool:
    return all(word in text for word in words.split())


def reduce(
    oracle: PredicateOracle,
    folder: Path,
    flaky: int | None = 60,
    jobs: int = 1,
    text: str = TEXT,
) -> Report:
    return reduced_by(oracle, folder, text, name=f"out{jobs}", jobs=jobs, flaky=flaky)


@pytest.mark.parametrize("rate", [1.0, 0.7, 0.4])
@pytest.mark.parametrize("seed", range(2))
def test_a_flaky_failure_is_reduced_and_its_rate_told(
    rate: float, seed: int, tmp_path: Path
) -> None:
    report = reduce(FlakyOracleOf({"bad": rate}, seed), tmp_path)
    assert report.text.split() == ["bad"]
    assert report.verified and report.flaky is not None and report.flaky.result is not None
    assert report.flaky.input.failed == 5
    assert report.flaky.result.failed >= 5
    assert report.flaky.result.runs < 60


@pytest.mark.parametrize("seed", range(2))
def test_what_makes_the_failure_frequent_stays(seed: int, tmp_path: Path) -> None:
    report = reduce(FlakyOracleOf({"bad": 0.03, "bad guard": 0.7}, seed), tmp_path)
    assert report.text.split() == ["bad", "guard"]


def test_any_number_of_workers_gives_the_same_result(tmp_path: Path) -> None:
    reports = [reduce(FlakyOracleOf({"bad": 0.5}, 1), tmp_path, jobs=jobs) for jobs in (1, 4)]
    assert reports[0].text == reports[1].text
    assert reports[0].flaky and reports[1].flaky
    assert reports[0].flaky.input == reports[1].flaky.input


@pytest.mark.parametrize("seed", range(2))
def test_a_failure_that_varies_is_reduced_without_the_option_and_that_is_said(
    seed: int, tmp_path: Path
) -> None:
    report = reduce(FlakyOracleOf({"bad": 0.6}, seed), tmp_path, flaky=None)
    assert report.text.split() == ["bad"]
    assert report.verified and report.flaky is not None and report.flaky.result is not None
    (said,) = (note for note in report.notes if "does not fail on every run" in note)
    told = re.search(r"in (\d) of (\d+) runs, 'success' in \d; each verdict", said)
    assert told and 0 < int(told[1]) < int(told[2])


def test_the_same_command_goes_on_with_the_runs_of_a_failure_that_varies(tmp_path: Path) -> None:
    oracle = FlakyOracleOf({"bad": 0.6}, 3)
    first = reduce(oracle, tmp_path, flaky=None)
    again = reduce(oracle, tmp_path, flaky=None)
    assert again.text == first.text
    assert again.costs.calls < first.costs.calls / 3


def test_an_input_that_happens_to_pass_first_is_run_again(tmp_path: Path) -> None:
    seed = next(
        seed
        for seed in range(99)
        if [random.Random(f"{seed} {n} {TEXT}").random() < 0.5 for n in (1, 2, 3)]
        == [False, False, True]
    )
    report = reduce(FlakyOracleOf({"bad": 0.5}, seed), tmp_path, flaky=None)
    assert report.text.split() == ["bad"] and report.flaky is not None


def test_failures_with_nothing_in_common_are_refused(tmp_path: Path) -> None:
    class Random(FlakyOracleOf):
        def run(self, text: str | bytes, **options: Any) -> Outcome:
            outcome = super().run(text, **options)
            word = f"boom {chr(97 + self.runs[str(text)])}"
            failure = Signature(Kind.SCRIPT, word)
            return replace(outcome, signature=failure) if outcome.failed else outcome

    with pytest.raises(FlakyOracle, match=r"in 1 of 10 runs, .*--flaky"):
        reduce(Random({"bad": 1.0}, 3), tmp_path, flaky=None)


def test_a_healthy_input_stays_uninteresting(tmp_path: Path) -> None:
    with pytest.raises(NotInteresting, match="in 60 runs"):
        reduce(FlakyOracleOf({}, 1), tmp_path)
    with pytest.raises(NotInteresting, match="does not fail on the input"):
        reduce(FlakyOracleOf({}, 1), tmp_path, flaky=None)


def test_an_input_of_comments_that_does_not_fail_is_hardly_the_right_file(tmp_path: Path) -> None:
    with pytest.raises(NotInteresting, match="on the input, which contains only comments; check"):
        reduce(FlakyOracleOf({}, 1), tmp_path, flaky=None, text="// see model.mlir\n")


def test_the_most_frequent_failure_counts() -> None:
    outcomes = [Outcome(s.kind, s) for s in [OTHER, FAILURE, FAILURE, Signature(Kind.SUCCESS)] * 9]
    measured = measure(outcomes.__getitem__, lambda outcome: outcome.failed, 30)
    assert most_frequent(measured.outcomes, lambda outcome: outcome.failed) == FAILURE
    assert measured.rate(FAILURE) == Rate(5, 10)
    assert measured.text(FAILURE).endswith("in 5 of 10 runs, 'crash: boom' in 3; 'success' in 2")


def test_the_result_is_run_until_its_rate_is_known() -> None:
    assert measure_with(SequentialTest(0.8), lambda: True) == (Rate(5, 5), True)
    assert measure_with(SequentialTest(0.8), lambda: False) == (Rate(0, 3), False)


def test_an_empty_module_that_crashes_elsewhere_is_told() -> None:
    """A pass that frees what it does not own crashes on any input, each in its own place."""
    crash = Outcome(Kind.CRASH, Signature(Kind.CRASH, "SIGABRT", frames=("a::f",)), -6)
    assert crashes_when_empty(crash, Kind.CRASH) == (
        "an empty module crashes too (crash: SIGABRT in a::f); any input may trigger the bug"
    )
    refused = Outcome(Kind.OTHER_ERROR, Signature(Kind.OTHER_ERROR, "no function"), 1)
    assert not crashes_when_empty(refused, Kind.CRASH)
    assert not crashes_when_empty(Outcome(Kind.SUCCESS, Signature(Kind.SUCCESS), 0), Kind.CRASH)
    assert not crashes_when_empty(crash, Kind.VERIFIER)
    assert not crashes_when_empty(crash, Kind.ASSERTION)
