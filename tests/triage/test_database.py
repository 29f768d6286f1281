import sqlite3
import threading
from pathlib import Path
from random import Random

import pytest

from reducer.errors import BadInput, OutputNotWritable, UsageError
from reducer.triage.database import APPLICATION_ID, MIGRATIONS, Database


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


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("PRAGMA user_version = 1000", "newer version"),
        ("", "another program"),
        ("not a database, but long enough to be looked at " * 10, "not a triage database"),
    ],
)
def test_other_files_are_refused_and_left_alone(tmp_path: Path, made: str, said: str) -> None:
    path = tmp_path / "t.sqlite"
    if made.startswith("PRAGMA"):
        with Database.open(path) as database:
            database.write(made)
    elif made:
        path.write_text(made)
    else:
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(UsageError, match=said):
        Database.open(path)
    assert path.read_bytes() == before


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


def test_a_flipped_bit_is_noticed_or_changes_nothing(tmp_path: Path) -> None:
    """A damaged file is set aside, and no reader of it sees a traceback."""
    path, random = tmp_path / "t.sqlite", Random(1)
    with Database.open(path) as database:
        for number in range(40):
            database.write("INSERT INTO notes VALUES (?, ?)", f"{number:012}", f"note {number}")
            database.write("INSERT INTO inputs VALUES (?, 1, 2, 0)", f"i{number}")
    data = path.read_bytes()
    for _ in range(60):
        for left in tmp_path.iterdir():
            left.unlink()
        flipped = bytearray(data)
        flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        said: list[str] = []
        try:
            Database.open(path, create=False).close()
        except (UsageError, BadInput) as error:
            assert str(path) in str(error)
        with Database.open(path, log=said.append) as database:
            inputs = database.value("SELECT count(*) FROM inputs WHERE input GLOB 'i*'")
            notes = database.value("SELECT count(*) FROM notes")
        assert str(path) in said[0] if said else (inputs, notes) == (40, 40)
        if said:
            assert (tmp_path / "t.sqlite.damaged").read_bytes() == flipped
            assert inputs == 0


def test_what_no_run_can_tell_again_outlives_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Database.open(path) as database:
        database.write("INSERT INTO notes VALUES ('0123456789ab', 'mine')")
        database.write("INSERT INTO inputs VALUES ('digest', 1, 2, 0)")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"CREATE TABLE runs", b"CREATE TABLE \xf2uns"))
    Database.open(path).close()  # the error message cannot be read either
    path.write_bytes(whole.replace(b"digest", b"dibest"))
    with Database.open(path) as database:
        assert database.value("SELECT text FROM notes") == "mine"
        assert database.value("SELECT count(*) FROM inputs") == 0
