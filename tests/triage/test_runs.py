from pathlib import Path

from reducer.triage.runs import finish_run, start_run
from reducer.triage.states import Standing, State
from tests.support.triages import Records, failure


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
    finish_run(records.database, run, {bug.bucket: Standing(State.NEW, None)})
    assert [row["bucket"] for row in records.database.rows("SELECT bucket FROM buckets")] == [
        bug.bucket
    ]
    assert records.database.value("SELECT count(*) FROM reproducers") == 0
    assert records.database.value("SELECT state FROM history") == "new"
