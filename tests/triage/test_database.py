import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Kind, Signature
from reducer.errors import OutputNotWritable, UsageError
from reducer.triage.configurations import Configuration
from reducer.triage.database import APPLICATION_ID, MIGRATIONS, Database, bucket_of
from tests.support.triages import SUCCESS, Records, configuration, failure, release


def test_a_new_file_has_the_newest_schema_and_our_mark(tmp_path: Path) -> None:
    with Database.open(tmp_path / "deep" / "t.sqlite") as database:
        assert database.value("PRAGMA user_version") == len(MIGRATIONS)
        assert database.value("PRAGMA application_id") == APPLICATION_ID
        assert database.value("PRAGMA journal_mode") == "wal"


def test_an_older_file_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.sqlite"
    with Database.open(path) as database:
        database.write("INSERT INTO runs (started, version) VALUES (1, 'x')")
    later = (*MIGRATIONS, "ALTER TABLE runs ADD COLUMN host TEXT; CREATE TABLE more (x)")
    monkeypatch.setattr("reducer.triage.database.MIGRATIONS", later)
    with Database.open(path) as database:
        assert database.value("SELECT count(*) FROM runs WHERE host IS NULL") == 1
        assert database.value("PRAGMA user_version") == len(later)


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Database.open(path) as database:
        database.write("PRAGMA user_version = 1000")
    with pytest.raises(UsageError, match="newer version"):
        Database.open(path)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="another program"):
        Database.open(path)
    assert path.read_bytes() == before


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    path.write_text("not a database, but long enough to be looked at " * 10)
    with pytest.raises(UsageError, match="not a triage database"):
        Database.open(path)


def test_only_triage_makes_a_database(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--db"):
        Database.open(tmp_path / "t.sqlite", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputNotWritable):
        Database.open(tmp_path / "file" / "t.sqlite")


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    with Database.open(tmp_path / "t.sqlite") as database:
        with pytest.raises(RuntimeError), database.transaction():
            database.write("INSERT INTO runs (started, version) VALUES (1, 'x')")
            raise RuntimeError
        assert database.value("SELECT count(*) FROM runs") == 0


def test_two_connections_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"

    def write() -> None:
        with Database.open(path) as database:
            for _ in range(50):
                with database.transaction():
                    database.write("INSERT INTO runs (started, version) VALUES (1, 'x')")

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Database.open(path) as database:
        assert database.value("SELECT count(*) FROM runs") == 200


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
