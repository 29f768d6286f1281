from pathlib import Path

import pytest

from oracles import Signature
from oracles.diagnostics import Diagnostic
from reducer.triage.buckets import all_groups
from reducer.triage.reproducers import reproducers
from reducer.triage.states import BugState, BugStatus, finish_run, start_run, state_of, status_of
from tests.support.triages import SUCCESS, Records, failure

BUG = failure()
OTHER = failure("other")
OLD, NEW, NEWER = "3.8.0", "3.10.0", "3.13.0"


def fixed_in(records: Records, bug: Signature = BUG) -> str | None:
    """The version in which a bug is fixed."""
    groups = {group.root.bucket: group for group in all_groups(records.database)}
    known = reproducers(records.database)
    number = status_of(records.database, groups[bug.bucket], known, 1).fixed_in
    query = "SELECT version FROM compilers WHERE compiler = ?"
    return None if number is None else str(records.database.value(query, number))


@pytest.mark.parametrize(
    ("before", "fixed", "state"),
    [
        (None, False, BugState.NEW),
        (None, True, BugState.NEW),
        (BugState.NEW, False, BugState.KNOWN),
        (BugState.KNOWN, True, BugState.FIXED),
        (BugState.FIXED, True, BugState.FIXED),
        (BugState.FIXED, False, BugState.REOPENED),
        (BugState.REOPENED, False, BugState.KNOWN),
    ],
)
def test_states(before: BugState | None, fixed: bool, state: BugState) -> None:
    assert state_of(before, fixed) is state


def test_inputs_that_pass_on_a_newer_compiler_are_fixed(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG)
    assert fixed_in(records) is None
    records.result("a", NEWER, SUCCESS)
    assert fixed_in(records) == NEWER
    records.result("a", NEW, SUCCESS)
    assert fixed_in(records) == NEW


def test_an_older_compiler_without_the_bug_fixes_nothing(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", NEW, BUG)
    records.result("a", OLD, SUCCESS)
    assert fixed_in(records) is None


def test_an_input_that_fails_differently_is_no_evidence(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG)
    records.result("a", NEW, OTHER)
    assert fixed_in(records) is None


def test_a_bug_among_the_failures_of_a_newer_compiler_is_not_fixed(tmp_path: Path) -> None:
    target = failure("'a.b' op is bad", op="a.b", stage="pipeline")
    other = failure("'a.a' op is worse", op="a.a", stage="pipeline")
    errors = tuple(
        Diagnostic("", 0, 0, "error", words)
        for words in ("'a.a' op is worse", "failed to translate executables", "'a.b' op is bad")
    )
    records = Records(tmp_path)
    records.result("a", OLD, target)
    records.result("a", NEW, SUCCESS)
    assert fixed_in(records, target) == NEW
    records.result("a", NEWER, other, diagnostics=errors[:1])
    assert fixed_in(records, target) == NEW
    records.result("a", NEWER, other, diagnostics=errors)
    assert fixed_in(records, target) is None


def test_an_intermittent_bug_is_not_fixed_where_it_did_not_occur_once(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG, runs=2)  # the first passed
    records.result("a", NEW, SUCCESS)
    assert fixed_in(records) is None
    records.result("a", NEW, SUCCESS, runs=5)
    assert fixed_in(records) == NEW


def test_a_deleted_input_is_no_evidence(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG)
    records.result("b", OLD, BUG)
    records.result("a", NEW, SUCCESS)  # b was deleted before the new compiler was run
    assert fixed_in(records) is None


def test_the_reproducer_decides_if_inputs_cannot(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG)
    records.result("a", NEW, OTHER)
    digest = records.reproducer(BUG.bucket, "a", OLD, "func.func @f() { return }")
    records.result(digest, OLD, BUG, file=False)
    assert fixed_in(records) is None
    records.result(digest, NEW, SUCCESS, file=False)
    assert fixed_in(records) == NEW


def test_inputs_decide_if_the_reproducer_cannot(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG)
    digest = records.reproducer(BUG.bucket, "a", OLD, "func.func @f() { return }")
    records.result(digest, NEW, OTHER, file=False)  # e.g. flags unknown to the newer compiler
    assert fixed_in(records) is None
    records.result("a", NEW, SUCCESS)
    assert fixed_in(records) == NEW


def test_a_reproducer_that_passes_is_not_enough_while_an_input_fails(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG)
    digest = records.reproducer(BUG.bucket, "a", OLD, "func.func @f() { return }")
    records.result(digest, NEW, SUCCESS, file=False)
    records.result("b", NEW, BUG)
    assert fixed_in(records) is None


def test_flags_under_which_it_still_fails_keep_it_open(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG, "--x")
    records.result("a", NEW, SUCCESS, "--x")
    records.result("a", NEW, OTHER, "--y")
    assert fixed_in(records) is None


def test_the_previous_state_comes_from_a_finished_run(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG)
    (group,) = all_groups(records.database)
    for run in (1, 2, 3):
        records.database.write("INSERT INTO runs VALUES (?, 1, NULL, 'x')", run)

    def state(run: int) -> BugState:
        return status_of(records.database, group, {}, run).state

    assert state(1) is BugState.NEW
    assert state(2) is BugState.NEW  # run 1 was killed before it reported anything
    finish_run(records.database, 2, {BUG.bucket: status_of(records.database, group, {}, 2)})
    assert state(2) is BugState.NEW  # also for the other processes of the same run
    assert state(3) is BugState.KNOWN


def test_each_run_has_a_number_of_its_own_also_after_one_that_never_ended(tmp_path: Path) -> None:
    database = Records(tmp_path).database
    assert start_run(database) == 1
    finish_run(database, 1, {})
    assert [start_run(database), start_run(database)] == [2, 3]


def test_buckets_without_a_failure_are_dropped_in_the_end(tmp_path: Path) -> None:
    records = Records(tmp_path)
    bug, gone = failure("bug"), failure("gone")
    records.result("a", "3.13.0", bug)
    records.result("b", "3.13.0", gone)
    records.reproducer(gone.bucket, "b", "3.13.0", "text")
    records.database.write("DELETE FROM results WHERE bucket = ?", gone.bucket)
    run = start_run(records.database)
    finish_run(records.database, run, {bug.bucket: BugStatus(BugState.NEW, None)})
    assert [row["bucket"] for row in records.database.rows("SELECT bucket FROM buckets")] == [
        bug.bucket
    ]
    assert records.database.value("SELECT count(*) FROM reproducers") == 0
    assert records.database.value("SELECT state FROM history") == "new"
