"""When a bug is new, known, fixed or back, and in which release it is fixed."""

from pathlib import Path

import pytest

from oracles import Signature
from oracles.signature.diagnostics import Diagnostic
from reducer.triage.buckets import all_groups
from reducer.triage.reproducers import reproducers
from reducer.triage.states import BugState, BugStatus, finish_run, start_run, state_of, status_of
from tests.support.triages import SUCCESS, Records, failure

BUG = failure()
OTHER = failure("other")
OLD, NEW, NEWER = "3.8.0", "3.10.0", "3.13.0"


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


SMALL = "func.func @f() { return }"
A, B = (
    failure(text, op=text[1:4], stage="pipeline")
    for text in ("'a.b' op is bad", "'a.a' op is worse")
)
ERRORS = tuple(
    Diagnostic("", 0, 0, "error", words)
    for words in ("'a.a' op is worse", "failed to translate executables", "'a.b' op is bad")
)
Seen = tuple[str, str, Signature]


@pytest.mark.parametrize(
    ("seen", "fixed"),
    [
        ([("a", NEWER, SUCCESS)], NEWER),
        ([("a", NEWER, SUCCESS), ("a", NEW, SUCCESS)], NEW),  # the first one counts
        ([("a", "3.3.0", SUCCESS)], None),  # which is older
        ([("a", NEW, OTHER)], None),  # no evidence
        ([("b", OLD, BUG), ("a", NEW, SUCCESS)], None),  # b was deleted before
        # With other flags, it still fails.
        ([("a", NEW, SUCCESS), ("a --y", NEW, OTHER)], None),
        # The reproducer decides if the inputs cannot,
        ([("a", NEW, OTHER), (SMALL, OLD, BUG)], None),
        ([("a", NEW, OTHER), (SMALL, OLD, BUG), (SMALL, NEW, SUCCESS)], NEW),
        # or they if it cannot, as with flags that are unknown to the newer compiler;
        ([(SMALL, NEW, OTHER)], None),
        ([(SMALL, NEW, OTHER), ("a", NEW, SUCCESS)], NEW),
        # but it is not enough while an input fails.
        ([(SMALL, NEW, SUCCESS), ("b", NEW, BUG)], None),
    ],
)
def test_a_bug_of_an_old_release_is_fixed_in_a_newer_one(
    tmp_path: Path, seen: list[Seen], fixed: str | None
) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG)
    small = (
        records.reproducer(BUG.bucket, "a", OLD, SMALL)
        if SMALL in {name for name, *_ in seen}
        else ""
    )
    assert fixed_in(records) is None
    for name, version, signature in seen:
        digest, *flags = (small,) if name == SMALL else name.split()
        records.result(digest, version, signature, *flags, file=name != SMALL)
    assert fixed_in(records) == fixed


def fixed_in(records: Records, bug: Signature = BUG) -> str | None:
    """The version in which a bug is fixed."""
    groups = {group.root.bucket: group for group in all_groups(records.database)}
    known = reproducers(records.database)
    number = status_of(records.database, groups[bug.bucket], known, 1).fixed_in
    query = "SELECT version FROM compilers WHERE compiler = ?"
    return None if number is None else str(records.database.value(query, number))


def test_a_bug_among_the_failures_of_a_newer_compiler_is_not_fixed(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, A)
    records.result("a", NEW, SUCCESS)
    for errors, fixed in ((ERRORS[:1], NEW), (ERRORS, None)):
        records.result("a", NEWER, B, diagnostics=errors)
        assert fixed_in(records, A) == fixed


def test_an_intermittent_bug_is_not_fixed_where_it_did_not_occur_once(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", OLD, BUG, runs=2)  # the first passed
    for runs, fixed in ((1, None), (5, NEW)):
        records.result("a", NEW, SUCCESS, runs=runs)
        assert fixed_in(records) == fixed


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
