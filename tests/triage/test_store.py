from dataclasses import replace
from pathlib import Path

from oracles import Kind, Signature
from reducer.triage.configurations import Configuration
from reducer.triage.store import bucket_of
from tests.support.triages import CAPS, SUCCESS, Records, configuration, failure, release

BUG = failure()


def test_a_stored_result_keeps_the_whole_outcome(tmp_path: Path) -> None:
    records = Records(tmp_path)
    number = records.result("a", "3.13.0", BUG)
    result = records.store.result("a", number)
    assert result is not None
    assert (result.kind, result.bucket) == (Kind.VERIFIER, BUG.bucket)
    outcome = records.store.outcome("a", number)
    assert outcome is not None
    assert outcome.signature == BUG
    assert records.store.result("b", number) is None


def test_outcomes_that_are_no_bug_have_no_bucket(tmp_path: Path) -> None:
    records = Records(tmp_path)
    no_bug = [kind for kind in Kind if not kind.traits.is_bug]
    assert len(no_bug) == 4
    for kind in no_bug:
        number = records.result(str(kind), "3.13.0", failure(kind=kind))
        result = records.store.result(str(kind), number)
        assert result is not None
        assert result.bucket is None


def test_hangs_of_two_inputs_are_two_buckets() -> None:
    hang = failure("", Kind.TIMEOUT)
    assert bucket_of(hang, "a") != bucket_of(hang, "b")
    assert bucket_of(hang, "a") == bucket_of(hang, "a")


def test_hangs_in_one_pass_are_one_bucket() -> None:
    hang = Signature(Kind.TIMEOUT, stage="pipeline CSEPass")
    assert bucket_of(hang, "a") == bucket_of(hang, "b") == hang.bucket
    assert bucket_of(replace(hang, stage="pipeline Inliner"), "a") != hang.bucket
    assert bucket_of(BUG, "a") == bucket_of(BUG, "b") == BUG.bucket


def test_configurations_differ_by_compiler_and_flags(tmp_path: Path) -> None:
    store = Records(tmp_path).store
    wanted = [configuration("3.8.0"), configuration("3.13.0"), configuration("3.13.0", "--x")]
    numbers = [store.configuration(one) for one in wanted]
    assert len(set(numbers)) == 3
    assert [store.configuration(one) for one in wanted] == numbers


def test_a_file_that_a_flag_names_is_part_of_the_configuration(tmp_path: Path) -> None:
    numbers = []
    for content in ("one", "two", "one"):
        (tmp_path / "spec.mlir").write_text(content)
        flags = ("--spec=spec.mlir",)
        store = Records(tmp_path).store  # each process hashes the file only once
        wanted = Configuration(release("3.13.0"), flags, str(tmp_path))
        numbers.append(store.configuration(wanted))
    assert numbers[0] == numbers[2] != numbers[1]


def test_results_of_an_older_classifier_are_dropped(tmp_path: Path) -> None:
    records = Records(tmp_path)
    number = records.result("a", "3.13.0", BUG)
    other = records.result("a", "3.8.0", SUCCESS)
    before = records.store.compiler(release("3.13.0"))
    assert records.store.compiler(replace(release("3.13.0"), identity="another reading")) == before
    assert records.store.result("a", number) is None
    assert records.store.result("a", other) is not None


def test_a_pass_settles_an_input_only_after_as_many_runs_as_are_wanted(tmp_path: Path) -> None:
    records = Records(tmp_path)
    number = records.result("a", "3.13.0", SUCCESS)
    often = replace(CAPS, passes=3)
    assert records.store.settled("a", number, CAPS) is not None
    assert records.store.settled("a", number, often) is None
    records.result("a", "3.13.0", SUCCESS, runs=3)
    assert records.store.settled("a", number, often) is not None
    records.result("a", "3.13.0", BUG, runs=2)
    assert records.store.settled("a", number, often) is not None
    assert records.store.runs("a", number) == 2
