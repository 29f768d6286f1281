"""The journal: every verdict in an SQLite file, so that no run is repeated, even after a crash.

Each verdict is committed as it comes in. With write-ahead logging, what was committed outlives a
killed process; the file is held exclusively, so that two reductions never share one, and the
operating system lets go of it when its holder dies. A journal that cannot be kept (a read-only
folder, a full disk) is no reason to stop: it then lives in memory.

A journal belongs to one input, oracle and set of limits. Verdicts are addressed by content, but the
time limit that they were given under follows from runs of that input, so they hold for no other.
"""

import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from oracles import Outcome
from reducer.errors import JournalBusy, JournalMismatch


class SharedFile:
    """One connection and the lock that its users take; closed at the end of a `with`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.RLock()

    def close(self) -> None:
        """Closes the file, which cannot be used any more."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_APPLICATION_ID = 0x4D4C5244  # "MLRD": tells our files from other people's databases
_IDENTITY = "identity."
_DOUBTFUL = "doubtful"
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE verdicts (
    hash TEXT PRIMARY KEY, kind TEXT NOT NULL, ops INTEGER NOT NULL, seconds REAL NOT NULL,
    created REAL NOT NULL, outcome BLOB NOT NULL
);
CREATE TABLE texts (key TEXT PRIMARY KEY, text BLOB NOT NULL);
"""
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


class _ForeignFile(Exception):
    """The file is a database of some other program."""


class Journal(SharedFile):
    """Verdicts, converted texts and facts of one reduction. Safe to use from threads."""

    is_tentative = False
    """Whether an earlier reduction's journal comes back if this one is closed now."""
    reused = 0
    """How many verdicts of an earlier run there were when it was opened."""

    def __init__(self, connection: sqlite3.Connection, log: Callable[[str], None]) -> None:
        super().__init__(connection)
        self._log = log
        self._fell_back = False

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        identity: Mapping[str, str],
        resume: bool = False,
        fresh: bool = False,
        log: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Opens the journal at `path` for the reduction that `identity` describes.

        A journal of the same reduction goes on, unless its verdicts are `doubt`ed; `resume` insists
        that it does. That of another one, or any if this should be a `fresh` start, is emptied, but
        comes back if this journal is closed before `settle` was called.
        `say` gets messages for people: a damaged file was put aside, nothing can be stored…

        Raises:
            JournalBusy: another process is using it.
            JournalMismatch: it should be resumed but belongs to another reduction.
        """
        connection = _usable(path, log)
        journal = cls(connection, log)
        try:
            if fresh or not journal._goes_on(identity, resume, path):
                journal._start_anew(identity)
        except BaseException:
            connection.close()
            raise
        return journal

    @classmethod
    def reopen(cls, path: Path, *, log: Callable[[str], None] = lambda text: None) -> Self:
        """Opens the journal of a reduction that has ended, to add to it, whatever it belongs to.

        Raises:
            JournalBusy: another process is using it.
        """
        connection = _usable(path, log)
        if not _has_tables(connection):
            _initialise(connection, {})
        return cls(connection, log)

    def settle(self) -> None:
        """What this reduction has learned from now on takes the place of an earlier one's."""
        with self._lock:
            if self._connection.in_transaction:
                try:
                    self._connection.execute("COMMIT")
                except sqlite3.Error as error:
                    self._fall_back(error)
            self.is_tentative = False

    def doubt(self, doubtful: bool) -> None:
        """Says whether the verdicts turned out to be wrong: then only `resume` reuses them."""
        if doubtful:
            self.set_meta(_DOUBTFUL, "yes")
        elif self.get_meta(_DOUBTFUL) is not None:
            self._write("DELETE FROM meta WHERE key = ?", _DOUBTFUL)

    # ---- verdicts --------------------------------------------------------------------------

    def get(self, digest: str) -> Outcome | None:
        """The outcome of the text with this hash, if it was ever run."""
        blob = self._value("SELECT outcome FROM verdicts WHERE hash = ?", digest)
        return None if blob is None else Outcome.from_json(json.loads(zlib.decompress(blob)))

    def put(self, digest: str, outcome: Outcome, ops: int) -> None:
        """Remembers an outcome; it is on disk when this returns. `ops`: size of the candidate."""
        blob = zlib.compress(json.dumps(outcome.to_json()).encode(), 1)
        row = (digest, str(outcome.kind), ops, outcome.seconds, time.time(), blob)
        self._write("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?)", *row)

    def count(self) -> int:
        """How many verdicts are known."""
        return int(self._value("SELECT count(*) FROM verdicts") or 0)

    # ---- texts and facts -------------------------------------------------------------------

    def get_text(self, key: str) -> str | None:
        """A text stored by `put_text`."""
        blob = self._value("SELECT text FROM texts WHERE key = ?", key)
        return None if blob is None else zlib.decompress(blob).decode(errors="surrogateescape")

    def put_text(self, key: str, text: str) -> None:
        """Remembers a text that was costly to make."""
        blob = zlib.compress(text.encode(errors="surrogateescape"), 1)
        self._write("INSERT OR REPLACE INTO texts VALUES (?, ?)", key, blob)

    def get_meta(self, key: str) -> str | None:
        """A fact stored by `set_meta`."""
        value = self._value("SELECT value FROM meta WHERE key = ?", key)
        return None if value is None else str(value)

    def set_meta(self, key: str, value: str) -> None:
        """Remembers a fact about the reduction, such as a limit derived from its first run."""
        self._write("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)

    # ---- SQLite ----------------------------------------------------------------------------

    def _goes_on(self, identity: Mapping[str, str], resume: bool, path: Path) -> bool:
        """Whether the file is this reduction's own already, with verdicts to use."""
        with self._lock:
            known = _identity_of(self._connection)
        if resume and not known:
            self._log(f"nothing to resume in {path}; starting from the beginning")
        if not known:
            return False
        differing = sorted(k for k in known | dict(identity) if known.get(k) != identity.get(k))
        if differing and resume:
            raise JournalMismatch(
                f"{path} belongs to another reduction (different {' and '.join(differing)}); "
                "repeat the original command, or leave out --resume to start over"
            )
        verdicts = self.count()
        if differing or not verdicts:
            return not differing
        if self.get_meta(_DOUBTFUL) is not None and not resume:
            self._log("the earlier run was not reproducible; its verdicts are not reused")
            return False
        self.reused = verdicts
        return True

    def _start_anew(self, identity: Mapping[str, str]) -> None:
        """Empties the file, for good only if it held nothing."""
        with self._lock:
            try:
                self.is_tentative = _begin_anew(self._connection, identity)
            except sqlite3.Error as error:
                self._fall_back(error)
                _initialise(self._connection, identity)

    def _value(self, query: str, *parameters: object) -> Any:
        """The first column of the first row, or None."""
        with self._lock:
            try:
                row = self._connection.execute(query, parameters).fetchone()
            except sqlite3.Error as error:
                self._fall_back(error)
                row = self._connection.execute(query, parameters).fetchone()
            return row[0] if row else None

    def _write(self, statement: str, *parameters: object) -> None:
        """Runs and commits one statement."""
        with self._lock:
            try:
                self._connection.execute(statement, parameters)
            except sqlite3.Error as error:
                self._fall_back(error)
                self._connection.execute(statement, parameters)

    def _fall_back(self, error: sqlite3.Error) -> None:
        """Goes on in memory with whatever can still be read; re-raises if it already does."""
        if self._fell_back or isinstance(error, sqlite3.ProgrammingError):
            raise error
        self._fell_back = True
        self._log(f"cannot write the journal any longer ({error}); continuing without it")
        memory = _memory()
        try:
            if self._connection.in_transaction or not self.is_tentative:
                self._connection.backup(memory)
            else:  # it was rolled back to the journal of another reduction
                _initialise(memory, {})
        except sqlite3.Error:
            memory.close()
            memory = _memory()
            _initialise(memory, {})
        self._connection.close()
        self._connection = memory


def _usable(path: Path, log: Callable[[str], None]) -> sqlite3.Connection:
    """The file, or what takes its place where it cannot be used."""
    try:
        return _connect(path)
    except (_ForeignFile, sqlite3.DatabaseError) as error:
        return _recover(path, error, log)


def _connect(path: Path) -> sqlite3.Connection:
    """Opens, locks and checks a file."""
    connection = sqlite3.connect(
        path.absolute(), timeout=0.0, isolation_level=None, check_same_thread=False
    )
    try:
        # Exclusive before WAL: no shared-memory file, and the lock holds until we close or die.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        _check(connection)  # before anything is written to a file that may not be ours
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")  # takes the lock
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    """Raises _ForeignFile or DatabaseError if this is no sound journal."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if tables and application != _APPLICATION_ID:
        raise _ForeignFile("it belongs to another program")
    (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)


def _recover(path: Path, error: Exception, log: Callable[[str], None]) -> sqlite3.Connection:
    """What to do about a file that cannot be used as it is."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in _BUSY:
        raise JournalBusy(
            f"another process is using {path}; wait for it to finish, or choose another output "
            "with -o"
        ) from error
    if code in _DAMAGED:
        try:
            aside = _put_aside(path)
            connection = _connect(path)
        except (OSError, _ForeignFile, sqlite3.Error) as second:
            log(f"cannot keep a journal in {path} ({second}); continuing without it")
            return _memory()
        log(f"the journal {path} is damaged ({error}); moved to {aside.name} and starting over")
        return connection
    log(f"cannot keep a journal in {path} ({error}); continuing without it")
    return _memory()


def _put_aside(path: Path) -> Path:
    aside = path.with_name(f"{path.name}.damaged")
    path.replace(aside)
    for suffix in ("-wal", "-shm"):  # they belong to the old file and would spoil the new one
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def _memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def _has_tables(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE name = 'meta'"
    return connection.execute(query).fetchone() is not None


def _identity_of(connection: sqlite3.Connection) -> dict[str, str]:
    """What the journal says it belongs to; empty for a new one."""
    if not _has_tables(connection):
        return {}
    query = "SELECT substr(key, ?), value FROM meta WHERE key GLOB ?"
    return dict(connection.execute(query, (len(_IDENTITY) + 1, f"{_IDENTITY}*")))


def _begin_anew(connection: sqlite3.Connection, identity: Mapping[str, str]) -> bool:
    """Empties the journal and gives it an identity, both or neither.

    Whether the transaction is still open, for there was something to lose.
    """
    replaces = bool(_identity_of(connection))
    connection.execute("BEGIN IMMEDIATE")
    try:
        _create_tables(connection, identity)
        if not replaces:
            connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return replaces


def _initialise(connection: sqlite3.Connection, identity: Mapping[str, str]) -> None:
    """Empties the journal for good and gives it an identity."""
    if _begin_anew(connection, identity):
        connection.execute("COMMIT")


def _create_tables(connection: sqlite3.Connection, identity: Mapping[str, str]) -> None:
    with closing(connection.cursor()) as cursor:
        tables = cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (table,) in tables.fetchall():  # also one that only older versions have
            cursor.execute(f"DROP TABLE {table}")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            cursor.execute(statement)
        cursor.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        rows = [(_IDENTITY + key, value) for key, value in identity.items()]
        cursor.executemany("INSERT INTO meta VALUES (?, ?)", rows)


class JournalNamespace(Journal):
    """Verdicts, texts and facts under names of their own.

    Args:
        journal: whose file it is; closing the section leaves it open.
        name: tells this section from others, and from the reduction around it.
    """

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._name = name

    def close(self) -> None:
        """Nothing: the journal goes on."""

    def settle(self) -> None:
        """Nothing: whose file it is has settled."""

    def doubt(self, doubtful: bool) -> None:
        """Nothing: what is found in a part says nothing of the whole reduction."""

    def get(self, digest: str) -> Outcome | None:
        return self._journal.get(self._own(digest))

    def put(self, digest: str, outcome: Outcome, ops: int) -> None:
        self._journal.put(self._own(digest), outcome, ops)

    def count(self) -> int:
        """How many verdicts are known in the whole journal."""
        return self._journal.count()

    def get_text(self, key: str) -> str | None:
        return self._journal.get_text(self._own(key))

    def put_text(self, key: str, text: str) -> None:
        self._journal.put_text(self._own(key), text)

    def get_meta(self, key: str) -> str | None:
        return self._journal.get_meta(self._own(key))

    def set_meta(self, key: str, value: str) -> None:
        self._journal.set_meta(self._own(key), value)

    def _own(self, key: str) -> str:
        return f"{self._name}: {key}"
