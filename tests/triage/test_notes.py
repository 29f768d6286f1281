from pathlib import Path

from reducer.triage.buckets import find_group, note_of, set_note
from reducer.triage.states import BugState, BugStatus, finish_run, start_run
from reducer.triage.summary import forget
from tests.support.triages import Records, failure

BUG, OTHER = failure(), failure("other")


def test_a_note_stays_until_it_is_replaced(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", "3.13.0", BUG)
    database = records.database
    group = find_group(database, BUG.bucket)
    assert note_of(database, group) == ""
    set_note(database, group, "Ann is on it")
    finish_run(database, start_run(database), {BUG.bucket: BugStatus(BugState.NEW, None)})
    assert note_of(database, group) == "Ann is on it"
    forget(database, group)
    assert note_of(database, group) == "Ann is on it"
    set_note(database, group, "iree#1")
    assert note_of(database, group) == "iree#1"
    set_note(database, group, "")
    assert note_of(database, group) == ""


def test_notes_of_merged_buckets_are_all_told(tmp_path: Path) -> None:
    records = Records(tmp_path)
    database = records.database
    for name, bug in (("a", BUG), ("b", OTHER)):
        records.result(name, "3.13.0", bug)
        set_note(database, find_group(database, bug.bucket), f"about {name}")
    database.write("UPDATE buckets SET merged_into = ? WHERE bucket = ?", BUG.bucket, OTHER.bucket)
    group = find_group(database, BUG.bucket)
    assert note_of(database, group) == "about a; about b"
    set_note(database, group, "both")
    assert note_of(database, group) == "both"
