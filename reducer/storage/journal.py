"""The journal: every verdict in an SQLite file, so that no run is repeated, even after a crash.

Each verdict is committed right away. With write-ahead logging, committed data survives a killed
process. The file is locked exclusively, so two reductions never share a journal; the operating
system releases the lock if the process dies. If the journal cannot be written (a read-only folder,
a full disk), the reduction goes on with an in-memory journal. Rows have checksums, and a journal
with a wrong one is set aside: a verdict that cannot be read back is a missing verdict.

A journal belongs to one input, oracle and set of limits. Verdicts are keyed by content, but the
time limit they depend on is derived from runs of that input, so they are not valid for others.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self, TypeVar

from oracles import Outcome
from oracles.stored import parsed, tried, unpacked
from reducer.storage.sqlite_file import SharedFile, in_memory, open_alone

T = TypeVar("T")

_APPLICATION_ID = 0x4D4C5244  # "MLRD": distinguishes journals from databases of other programs
_IDENTITY = "identity."
_DOUBTFUL = "doubtful"
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)  # the latter for a quota
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER) WITHOUT ROWID;
CREATE TABLE verdicts (
    hash TEXT PRIMARY KEY, kind TEXT NOT NULL, ops INTEGER NOT NULL, seconds REAL NOT NULL,
    created REAL NOT NULL, outcome BLOB NOT NULL, sum INTEGER
);
CREATE TABLE texts (key TEXT PRIMARY KEY, text BLOB NOT NULL, sum INTEGER);
"""
_SUMMED = {"meta": ("key", "value"), "verdicts": ("hash", "outcome"), "texts": ("key", "text")}
"""What the checksum of a row is about, by table."""


class Journal(SharedFile):
    """Verdicts, converted texts and metadata of one reduction. Thread-safe."""

    is_tentative = False
    """Whether closing the journal now would restore its earlier content."""
    lacks_room = False
    """Whether the file was not written any longer, since the disk is full."""
    reused = 0
    """The number of verdicts of an earlier run that were present on opening."""

    def __init__(
        self, connection: sqlite3.Connection | None, path: Path, log: Callable[[str], None]
    ) -> None:
        super().__init__(in_memory() if connection is None else connection)
        self._file = None if connection is None else path  # None while the journal is in memory
        self._path = path
        self._log = log
        # Hashes that have a verdict, and perhaps others; None if not yet read.
        self._stored: set[str] | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        identity: Mapping[str, str],
        fresh: bool = False,
        log: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Open the journal at `path` for the reduction described by `identity`.

        A journal of the same reduction is continued, unless its verdicts are doubtful (see
        `doubt`). Otherwise the file is emptied, but its content is restored if the journal is
        closed before `settle` is called.

        Args:
            fresh: always start with an empty journal.
            log: receives messages for the user, such as that a damaged file was set aside.

        Raises:
            JournalBusy: another process is using the journal.
        """
        journal = cls(open_alone(path, _APPLICATION_ID, _check, log), path, log)
        try:
            if fresh or not journal._goes_on(identity):
                journal._start_anew(identity)
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def reopen(cls, path: Path, *, log: Callable[[str], None] = lambda text: None) -> Self:
        """Open the journal of a finished reduction to add to it, without checking its identity.

        Raises:
            JournalBusy: another process is using the journal.
        """
        journal = cls(open_alone(path, _APPLICATION_ID, _check, log), path, log)
        if not _has_tables(journal._connection):
            _initialize(journal._connection, {})
        return journal

    def settle(self) -> None:
        """Discard the earlier content of the file for good; until then, closing restores it."""
        with self._lock:
            if self._connection.in_transaction:
                try:
                    self._connection.execute("COMMIT")
                except sqlite3.Error as error:
                    self._fall_back(error)
            self.is_tentative = False

    def give_up(self) -> bool:
        """Free the space on the disk, and go on in memory; return whether there was any to free."""
        with self._lock:
            if self._file is not None:
                self._fall_back(sqlite3.OperationalError("its space is needed for the result"))
            self.lacks_room = True
            log = self._path.with_name(f"{self._path.name}-wal")
            found = any(path.is_file() and path.stat().st_size for path in (self._path, log))
            log.unlink(missing_ok=True)
            if found:
                os.truncate(self._path, 0)  # it stays, since it is locked
            return found

    def discard(self) -> None:
        """Close the journal and delete its file.

        The file stays if it may hold the journal of an earlier reduction: if this one is in memory,
        or has not replaced it for good.
        """
        with self._lock:
            if self._file is not None and not self.is_tentative:
                for suffix in ("", "-wal"):  # while it is locked: nobody else has begun to use it
                    self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)
            self.close()

    def doubt(self, doubtful: bool) -> None:
        """Record whether the verdicts may be wrong; if so, they are not reused."""
        if doubtful:
            self.set_meta(_DOUBTFUL, "yes")
        elif self.get_meta(_DOUBTFUL) is not None:
            self._write("DELETE FROM meta WHERE key = ?", _DOUBTFUL)

    # ---- verdicts --------------------------------------------------------------------------

    def get(self, digest: str) -> Outcome | None:
        """The outcome of the text with this hash; None if it was never run."""
        with self._lock:
            if self._stored is None:
                self._stored = {row[0] for row in self._rows("SELECT hash FROM verdicts")}
            if digest not in self._stored:  # as most; SQLite would take longer to tell
                return None
        blob = self._value("SELECT outcome FROM verdicts WHERE hash = ?", digest)
        return tried(lambda blob: Outcome.from_json(parsed(unpacked(blob))), blob)

    def put(self, digest: str, outcome: Outcome, ops: int) -> None:
        """Store the outcome of a candidate with this many ops; on return, it is on disk."""
        blob = zlib.compress(json.dumps(outcome.to_json()).encode(), 1)
        row = (digest, str(outcome.kind), ops, outcome.seconds, time.time(), blob)
        with self._lock:
            self._write(
                "INSERT OR REPLACE INTO verdicts VALUES (?1, ?2, ?3, ?4, ?5, ?6, checksum(?1, ?6))",
                *row,
            )
            if self._stored is not None:
                self._stored.add(digest)

    def count(self) -> int:
        """The number of stored verdicts."""
        return int(self._value("SELECT count(*) FROM verdicts") or 0)

    # ---- texts and metadata ----------------------------------------------------------------

    def get_text(self, key: str) -> str | None:
        """The text stored by `put_text`; None if there is none."""
        blob = self._value("SELECT text FROM texts WHERE key = ?", key)
        return tried(unpacked, blob)

    def read(self, key: str, parse: Callable[[str], T]) -> T | None:
        """What `parse` makes of the text stored by `put_text`; None if it cannot be read."""
        return tried(parse, self.get_text(key))

    def put_text(self, key: str, text: str) -> None:
        """Store a text that was expensive to compute."""
        blob = zlib.compress(text.encode(errors="surrogateescape"), 1)
        self._write("INSERT OR REPLACE INTO texts VALUES (?1, ?2, checksum(?1, ?2))", key, blob)

    def get_meta(self, key: str) -> str | None:
        """The value stored by `set_meta`; None if there is none."""
        value = self._value("SELECT value FROM meta WHERE key = ?", key)
        return None if value is None else str(value)

    def set_meta(self, key: str, value: str) -> None:
        """Store metadata of the reduction, such as a limit derived from its first run."""
        self._write("INSERT OR REPLACE INTO meta VALUES (?1, ?2, checksum(?1, ?2))", key, value)

    # ---- SQLite ----------------------------------------------------------------------------

    def _goes_on(self, identity: Mapping[str, str]) -> bool:
        """Whether to continue the existing journal, because it belongs to this reduction."""
        with self._lock:
            known = _identity_of(self._connection)
        if not known or known != identity:
            return False
        verdicts = self.count()
        if verdicts and self.get_meta(_DOUBTFUL) is not None:
            self._log("the earlier run was not reproducible; its verdicts are not reused")
            return False
        self.reused = verdicts
        return True

    def _start_anew(self, identity: Mapping[str, str]) -> None:
        """Empty the file; tentatively if it held a journal."""
        with self._lock:
            try:
                self.is_tentative = _begin_anew(self._connection, identity)
            except sqlite3.Error as error:
                self._fall_back(error)
                _initialize(self._connection, identity)

    def _value(self, query: str, *parameters: object) -> Any:
        """The first column of the first row, or None."""
        rows = self._rows(query, *parameters)
        return rows[0][0] if rows else None

    def _rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(query, parameters).fetchall()
            except sqlite3.Error as error:
                self._fall_back(error)
                return self._connection.execute(query, parameters).fetchall()

    def _write(self, statement: str, *parameters: object) -> None:
        """Run and commit a statement."""
        with self._lock:
            try:
                self._connection.execute(statement, parameters)
            except sqlite3.Error as error:
                self._fall_back(error)
                self._connection.execute(statement, parameters)

    def _fall_back(self, error: sqlite3.Error) -> None:
        """Continue in memory with whatever can still be read; re-raise if already in memory."""
        if self._file is None or isinstance(error, sqlite3.ProgrammingError):
            raise error
        self._file = None
        self.lacks_room |= getattr(error, "sqlite_errorcode", 0) in _NO_ROOM
        self._log(f"cannot write the journal any longer ({error}); continuing without it")
        memory = in_memory()
        try:
            if self._connection.in_transaction or not self.is_tentative:
                self._connection.backup(memory)
            else:  # rolled back to the earlier journal
                _initialize(memory, {})
        except sqlite3.Error:
            memory.close()
            memory = in_memory()
            _initialize(memory, {})
        self._connection.close()
        self._connection = memory


def _check(connection: sqlite3.Connection) -> None:
    """Check every row.

    Raises:
        DatabaseError: something is missing or damaged.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not tables:
        return
    if "meta" not in tables:
        raise sqlite3.DatabaseError("a table is missing")
    for table, columns in _SUMMED.items():
        named = ", ".join(columns)
        query = f"SELECT count(*) FROM {table} WHERE sum IS NOT checksum({named})"
        if bad := connection.execute(query).fetchone()[0]:
            raise sqlite3.DatabaseError(f"{bad} rows of {table} are not as they were written")


def _has_tables(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE name = 'meta'"
    return connection.execute(query).fetchone() is not None


def _identity_of(connection: sqlite3.Connection) -> dict[str, str]:
    """The identity of the reduction that a journal belongs to; empty for a new journal."""
    if not _has_tables(connection):
        return {}
    query = "SELECT substr(key, ?), value FROM meta WHERE key GLOB ?"
    return dict(connection.execute(query, (len(_IDENTITY) + 1, f"{_IDENTITY}*")))


def _begin_anew(connection: sqlite3.Connection, identity: Mapping[str, str]) -> bool:
    """Empty the journal and set its identity in one transaction.

    Returns:
        Whether the transaction was left open, because it discards an earlier journal.
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


def _initialize(connection: sqlite3.Connection, identity: Mapping[str, str]) -> None:
    """Empty the journal, set its identity, and commit."""
    if _begin_anew(connection, identity):
        connection.execute("COMMIT")


def _create_tables(connection: sqlite3.Connection, identity: Mapping[str, str]) -> None:
    with closing(connection.cursor()) as cursor:
        tables = cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (table,) in tables.fetchall():
            cursor.execute(f"DROP TABLE {table}")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            cursor.execute(statement)
        cursor.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        rows = [(_IDENTITY + key, value) for key, value in identity.items()]
        cursor.executemany("INSERT INTO meta VALUES (?1, ?2, checksum(?1, ?2))", rows)


class JournalNamespace(Journal):
    """A namespace of a journal: verdicts, texts and metadata under prefixed keys.

    Args:
        journal: the underlying journal; closing the namespace leaves it open.
        name: the key prefix, which separates this namespace from others and from the reduction.
    """

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._name = name

    def close(self) -> None:
        """Do nothing; the underlying journal stays open."""

    def settle(self) -> None:
        """Do nothing; only the underlying journal can be settled."""

    def discard(self) -> None:
        """Do nothing; the underlying journal keeps its file."""

    def doubt(self, doubtful: bool) -> None:
        """Do nothing; doubts about a namespace do not concern the whole reduction."""

    def get(self, digest: str) -> Outcome | None:
        return self._journal.get(self._own(digest))

    def put(self, digest: str, outcome: Outcome, ops: int) -> None:
        self._journal.put(self._own(digest), outcome, ops)

    def count(self) -> int:
        """The number of verdicts in the entire journal."""
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
