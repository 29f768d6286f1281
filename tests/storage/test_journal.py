"""The journal keeps its verdicts through crashes, concurrent use and damage."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from random import Random

import pytest

from oracles import Kind, Outcome, Signature
from reducer.errors import ExitCode, JournalBusy
from reducer.storage.journal import Journal, JournalNamespace
from reducer.storage.sqlite_file import locks_kept
from tests.support.predicate import PredicateOracle

IDENTITY = {"input": "aa", "oracle": "bb", "version": "1"}


def crash(template: str = "boom", stderr: str = "") -> Outcome:
    return Outcome(Kind.CRASH, Signature(Kind.CRASH, template), -11, 0.5, 0.4, 1 << 20, (), stderr)


def open_journal(path: Path, *, fresh: bool = False, said: list[str] | None = None) -> Journal:
    log = (lambda text: None) if said is None else said.append
    return Journal.open(path, identity=IDENTITY, fresh=fresh, log=log)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.journal"


# ---- what it remembers -------------------------------------------------------------------------


def test_remembers_everything_after_closing(path: Path) -> None:
    with open_journal(path) as journal:
        journal.put("h1", crash(stderr="gr\u00fc\u00dfe"), ops=7)
        journal.put_text("generic h1", "module \udce9 {}")  # undecodable bytes round-trip too
        journal.set_meta("seconds_limit", "30.0")
    with open_journal(path) as journal:
        assert journal.get("h1") == crash(stderr="gr\u00fc\u00dfe")
        assert journal.get("h2") is None
        assert journal.get_text("generic h1") == "module \udce9 {}"
        assert journal.get_text("pretty h1") is None
        assert journal.get_meta("seconds_limit") == "30.0"
        assert journal.get_meta("nothing") is None
    assert list(path.parent.iterdir()) == [path]


def test_a_verdict_is_found_from_when_it_is_stored(path: Path) -> None:
    with open_journal(path) as journal:
        assert journal.get("h") is None
        journal.put("h", crash(), ops=1)
        assert journal.get("h") == crash()


def test_storing_again_replaces(path: Path) -> None:
    with open_journal(path) as journal:
        for template in ("one", "two"):
            journal.put("h", crash(template), ops=1)
            journal.put_text("t", template)
        assert journal.count() == 1
        assert journal.get("h") == crash("two")
        assert journal.get_text("t") == "two"


def test_serves_many_threads(path: Path) -> None:
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(100):
                journal.put(f"{name}{number}", crash(f"{name}{number}"), ops=number)
                assert journal.get(f"{name}{number}") == crash(f"{name}{number}")
                journal.put("shared", crash("shared"), ops=1)
        except BaseException as error:
            errors.append(error)

    with open_journal(path) as journal:
        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert journal.count() == 201


# ---- resuming ----------------------------------------------------------------------------------


def test_the_same_reduction_reuses_its_verdicts(path: Path) -> None:
    with open_journal(path) as journal:
        journal.put("h", crash(), ops=1)
        assert journal.reused == 0
    with open_journal(path) as journal:
        assert journal.get("h") == crash()
        assert journal.reused == 1


def test_a_fresh_run_empties_an_old_journal(path: Path) -> None:
    said: list[str] = []
    with open_journal(path) as journal:
        journal.put("h", crash(), ops=1)
    with open_journal(path, fresh=True, said=said) as journal:
        assert journal.get("h") is None
        journal.settle()
    with open_journal(path) as journal:
        assert journal.count() == 0
    assert said == []


def test_doubtful_verdicts_are_not_reused(path: Path) -> None:
    for doubtful in (True, False):
        with open_journal(path) as journal:
            assert journal.count() == 0
            journal.put("h", crash(), ops=1)
            journal.doubt(True)
            journal.doubt(doubtful)
            journal.settle()
    with open_journal(path) as journal:
        assert journal.count() == 1


def test_settling_replaces_the_journal_of_another_reduction(path: Path) -> None:
    with open_journal(path) as journal:
        journal.put("h", crash(), ops=1)
    other = IDENTITY | {"input": "cc"}
    with Journal.open(path, identity=other) as journal:
        assert journal.count() == 0
        journal.put("i", crash("its own"), ops=1)
        assert journal.is_tentative
    with open_journal(path) as journal:
        assert journal.get("h") == crash(), "it never settled"
    with Journal.open(path, identity=other) as journal:
        journal.put("i", crash("its own"), ops=1)
        journal.settle()
        journal.put("j", crash("its own"), ops=1)
    with Journal.open(path, identity=other) as journal:
        assert journal.count() == 2


def test_a_full_disk_does_not_restore_verdicts_of_another_reduction(path: Path) -> None:
    with open_journal(path) as journal:
        journal.put("h", crash(), ops=1)
    with Journal.open(path, identity=IDENTITY | {"input": "cc"}) as journal:
        journal._connection.execute("PRAGMA max_page_count = 1")
        for number in range(200):
            journal.put(str(number), crash(stderr=os.urandom(2000).hex()), ops=1)
        assert journal.get("h") is None
        assert journal.get("199") is not None
        journal.settle()
    with open_journal(path) as journal:
        assert journal.get("h") == crash()


def test_discarding_deletes_its_own_file(path: Path) -> None:
    journal = open_journal(path)
    journal.put("h", crash(), ops=1)
    journal.discard()
    assert list(path.parent.iterdir()) == []


def test_discarding_leaves_the_journal_of_another_reduction(path: Path) -> None:
    with open_journal(path) as journal:
        journal.put("h", crash(), ops=1)
    Journal.open(path, identity=IDENTITY | {"input": "cc"}).discard()
    with open_journal(path) as journal:
        assert journal.get("h") == crash()


def test_discarding_after_falling_back_to_memory_leaves_the_file(path: Path) -> None:
    with open_journal(path) as journal:
        journal.put("h", crash(), ops=1)
    with Journal.open(path, identity=IDENTITY | {"input": "cc"}) as journal:
        journal._connection.execute("PRAGMA max_page_count = 1")
        journal.put("big", crash(stderr=os.urandom(200_000).hex()), ops=1)
        journal.settle()
        journal.discard()
    with open_journal(path) as journal:
        assert journal.get("h") == crash()


def test_a_journal_of_an_older_layout_is_read_and_emptying_drops_its_other_tables(
    path: Path,
) -> None:
    with open_journal(path) as journal:
        journal.put("h", crash(), ops=1)
    with sqlite3.connect(path) as older:
        older.execute("CREATE TABLE steps (n INTEGER PRIMARY KEY)")
    older.close()
    with open_journal(path) as journal:
        assert journal.get("h") == crash()
    with open_journal(path, fresh=True) as journal:
        journal.settle()
    with sqlite3.connect(path) as emptied:
        tables = {name for (name,) in emptied.execute("SELECT name FROM sqlite_master")}
    emptied.close()
    assert "steps" not in tables
    assert {"meta", "verdicts", "texts"} <= tables


# ---- faults ------------------------------------------------------------------------------------

WRITE_FOREVER = """
import sys
from pathlib import Path
from oracles import Kind, Outcome, Signature
from reducer.storage.journal import Journal

journal = Journal.open(Path(sys.argv[1]), identity={"input": "aa", "oracle": "bb", "version": "1"})
outcome = Outcome(Kind.CRASH, Signature(Kind.CRASH, "boom"), stderr="x" * 5000)
for number in range(10**9):
    journal.put(str(number), outcome, number)
    print(number, flush=True)  # confirmed: this one is on disk
"""


def test_stored_verdicts_survive_a_killed_process(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_FOREVER, path], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        for _ in range(57):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        last = max([last, *map(int, writer.stdout.read().split("\n")[:-1])])
    with open_journal(path) as journal:
        assert all(journal.get(str(number)) is not None for number in range(last + 1))
        assert journal.count() - (last + 1) in (0, 1)  # one may have been stored but not confirmed


def test_a_journal_in_use_is_not_shared(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_FOREVER, path], stdout=subprocess.PIPE, text=True
    ) as writer:
        try:
            assert writer.stdout is not None
            writer.stdout.readline()
            for fresh in (False, True):
                with pytest.raises(JournalBusy, match="another process") as caught:
                    open_journal(path, fresh=fresh)
                assert caught.value.exit_code == ExitCode.BUSY == 75
        finally:
            writer.kill()


READ_AND_WAIT = """
import os, sys, time
from pathlib import Path
from reducer.storage.journal import Journal

path = Path(sys.argv[1])
journal = Journal.open(path, identity={"input": "aa", "oracle": "bb", "version": "1"})
path.read_bytes()  # closing any descriptor of a file drops all POSIX locks on it
if os.fork() == 0:
    time.sleep(60)
print(os.getpid(), flush=True)
time.sleep(60)
"""


def test_a_lock_outlasts_other_descriptors_and_ends_with_its_process(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", READ_AND_WAIT, path],
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as holder:
        try:
            assert holder.stdout is not None
            holder.stdout.readline()
            with pytest.raises(JournalBusy):
                open_journal(path)
            locks = Path("/proc/locks").read_text(encoding="ascii")
            assert f":{path.stat().st_ino} " in locks
            holder.kill()
            holder.wait()
            with open_journal(path) as journal:  # although the forked child is still there
                journal.put("h", crash(), ops=1)
        finally:
            os.killpg(holder.pid, signal.SIGKILL)


def test_a_run_keeps_its_lock_while_the_journal_is_closed(path: Path) -> None:
    words = [sys.executable, "-c", WRITE_FOREVER.replace("range(10**9)", "range(1)"), path]
    with locks_kept():
        for _ in range(2):  # who has the lock may open it again
            open_journal(path).close()
        done = subprocess.run(words, capture_output=True, text=True)
        assert "JournalBusy" in done.stderr
    assert subprocess.run(words).returncode == 0


def test_a_file_system_without_locks_is_used_and_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("reducer.storage.sqlite_file.fcntl.fcntl", refuse)
    for count in (0, 1):
        said: list[str] = []
        with open_journal(path, said=said) as journal:
            assert journal.count() == count
            journal.put("h", crash(), ops=1)
        assert "has no locks" in said[0] and str(path) in said[0]


def test_a_flipped_bit_is_noticed_or_changes_nothing(path: Path) -> None:
    with open_journal(path) as journal:
        for number in range(40):
            journal.put(str(number), crash(str(number)), ops=1)
            journal.put_text(f"t{number}", f"text {number}")
            journal.set_meta(f"m{number}", f"value {number}")
    data, random = path.read_bytes(), Random(1)
    for _ in range(60):
        for left in path.parent.iterdir():
            left.unlink()
        flipped = bytearray(data)
        flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        said: list[str] = []
        with open_journal(path, said=said) as journal:
            known = {(journal.get("7"), journal.get_text("t7"), journal.get_meta("m7"))}
            journal.put("new", crash(), ops=1)
        assert str(path) in said[0] if said else known == {(crash("7"), "text 7", "value 7")}


@pytest.mark.parametrize("damage", ["not a database", "cut", "scribbled", "foreign", "schema"])
def test_a_damaged_journal_is_kept_aside_and_started_anew(path: Path, damage: str) -> None:
    spoil(path, damage)
    before = path.read_bytes()
    said: list[str] = []
    with open_journal(path, said=said) as journal:
        assert journal.count() == 0
        journal.put("h", crash(), ops=1)
    assert "damaged" in said[0]
    assert path.with_name("out.journal.damaged").read_bytes() == before
    with open_journal(path) as journal:
        assert journal.get("h") == crash()


def spoil(path: Path, damage: str) -> None:
    if damage == "not a database":
        path.write_text("hello " * 1000)
        return
    if damage == "foreign":
        with sqlite3.connect(path) as foreign:
            foreign.execute("CREATE TABLE recipes (name)")
        foreign.close()
        return
    with open_journal(path) as journal:
        for number in range(300):
            journal.put(str(number), crash(str(number)), ops=1)
    data = path.read_bytes()
    if damage == "schema":  # the error message cannot be read either
        path.write_bytes(data.replace(b"CREATE TABLE meta", b"CREATE TABLE \xedeta"))
    elif damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    else:
        path.write_bytes(data[:4096] + os.urandom(len(data) - 8192) + data[-4096:])


def test_an_empty_file_is_an_empty_journal(path: Path) -> None:
    path.touch()
    with open_journal(path) as journal:
        journal.put("h", crash(), ops=1)
    with open_journal(path) as journal:
        assert journal.count() == 1


def test_falls_back_to_memory_if_no_file_can_be_created(tmp_path: Path) -> None:
    for place in (tmp_path / "no folder" / "out.journal", tmp_path, Path("/proc/out.journal")):
        said: list[str] = []
        with open_journal(place, said=said) as journal:
            journal.put("h", crash(), ops=1)
            assert journal.get("h") == crash()
        assert "cannot keep a journal" in said[0]


def test_falls_back_to_memory_when_the_disk_is_full(path: Path) -> None:
    said: list[str] = []
    with open_journal(path, said=said) as journal:
        journal.put("before", crash(), ops=1)
        said.clear()
        journal._connection.execute("PRAGMA max_page_count = 1")  # simulates a full disk
        for number in range(200):
            journal.put(str(number), crash(stderr=os.urandom(2000).hex()), ops=1)
        assert journal.count() == 201
        assert len(said) == 1
        assert "full" in said[0]
    with open_journal(path) as journal:
        assert journal.get("before") == crash()


FAILED, FINE = (PredicateOracle(lambda text: text == "bad").run(text) for text in ("bad", "good"))


def outcome(journal: Journal, digest: str) -> Outcome | None:
    return journal.get(digest)


def test_namespaces_are_separate(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with Journal.open(path, identity={"input": "1"}) as journal:
        one, other = JournalNamespace(journal, "one"), JournalNamespace(journal, "other")
        journal.put("d", FAILED, 3)
        one.put("d", FINE, 3)
        one.put_text("t", "text of one")
        one.set_meta("m", "fact of one")
        with other:
            assert other.get("d") is None
            assert other.get_text("t") is None
            assert other.get_meta("m") is None
        assert outcome(journal, "d") == FAILED
    with Journal.reopen(path) as journal:
        assert outcome(journal, "d") == FAILED
        again = JournalNamespace(journal, "one")
        assert outcome(again, "d") == FINE
        assert (again.get_text("t"), again.get_meta("m")) == ("text of one", "fact of one")
    with Journal.open(path, identity={"input": "1"}) as journal:
        assert outcome(journal, "d") == FAILED


def test_reopening_a_missing_journal_starts_an_empty_one(tmp_path: Path) -> None:
    with Journal.reopen(tmp_path / "journal") as journal:
        assert journal.get("d") is None
        journal.put("d", FAILED, 3)
        assert journal.get("d") == FAILED
    with Journal.reopen(tmp_path / "journal") as journal:
        assert journal.get("d") == FAILED
