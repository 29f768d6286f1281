from pathlib import Path

from reducer.triage.leases import Leases
from reducer.triage.runs import finish_run, join_run
from reducer.triage.states import Standing, State
from tests.support.triages import Records, failure


def test_processes_that_work_at_the_same_time_share_a_run(tmp_path: Path) -> None:
    database = Records(tmp_path).database
    with Leases(database) as one, Leases(database) as other:
        assert join_run(database, one) == join_run(database, other) == 1
        finish_run(database, 1, {})
        with Leases(database) as third:
            assert join_run(database, third) == 2


def test_a_run_that_nobody_is_at_any_more_is_not_joined(tmp_path: Path) -> None:
    database = Records(tmp_path).database
    with Leases(database) as one:
        assert join_run(database, one) == 1
    with Leases(database) as other:
        assert join_run(database, other) == 2


def test_buckets_without_a_failure_are_dropped_in_the_end(tmp_path: Path) -> None:
    records = Records(tmp_path)
    bug, gone = failure("bug"), failure("gone")
    records.result("a", "3.13.0", bug)
    records.result("b", "3.13.0", gone)
    records.reproducer(gone.bucket, "b", "3.13.0", "text")
    records.database.write("DELETE FROM results WHERE bucket = ?", gone.bucket)
    with Leases(records.database) as leases:
        run = join_run(records.database, leases)
    finish_run(records.database, run, {bug.bucket: Standing(State.NEW, None)})
    assert [row["bucket"] for row in records.database.rows("SELECT bucket FROM buckets")] == [
        bug.bucket
    ]
    assert records.database.value("SELECT count(*) FROM reproducers") == 0
    assert records.database.value("SELECT state FROM history") == "new"
