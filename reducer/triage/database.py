"""The triage database: one SQLite file, its tables, and their migrations.

A released migration is never changed; schema changes are appended as new migrations.

Times are Unix seconds; what is packed is JSON under zlib (`compilers.flags`, `results.outcome`). A
compiler's `identity` changes whenever its results could. `files.run` is the last run in which a
path had that content, `buckets.run` the first that saw the bucket. `split_from` and `ops` (what it
is about) tell bugs apart that print the same text, and `grounds.reached` says whether the failing
pass receives these ops. `reproducers.status` is reduced, budget, failed, or flaky. Reproducers are
inputs, too, with results but without files. Who changes rows by hand deletes the row of `seal`.

Readers never wait for a writer (write-ahead logging); writers wait for each other up to a timeout.
Every change is one short transaction, so a killed process leaves no partial state.

Whoever has written seals the file at the end by a checksum of all its rows, which the next change
removes. A file that is not as it was sealed is set aside, and what it knew is asked again.
"""

import json
import math
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Self, TypeVar, cast
from urllib.parse import quote

from oracles import Kind, Signature
from oracles.stored import UNREADABLE, bucket_id, parsed, types_of, unpacked
from reducer.errors import BadInput, OutputNotWritable, UsageError
from reducer.storage.sqlite_file import (
    ERRORS,
    SharedFile,
    check_links,
    check_whole,
    checksum,
    is_damage,
    put_aside,
)

T = TypeVar("T")

APPLICATION_ID = 0x4D4C5254
"""`MLRT`: distinguishes our files from other SQLite databases."""

_FIRST = """
CREATE TABLE runs (
    run INTEGER PRIMARY KEY, started REAL NOT NULL, finished REAL, version TEXT NOT NULL
);
CREATE TABLE compilers (
    compiler INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, name TEXT NOT NULL, version TEXT
);
CREATE TABLE configurations (
    configuration INTEGER PRIMARY KEY, compiler INTEGER NOT NULL REFERENCES compilers,
    program TEXT NOT NULL, flags TEXT NOT NULL, files TEXT NOT NULL,
    UNIQUE (compiler, flags, files)
);
CREATE TABLE inputs (
    input TEXT PRIMARY KEY, bytes INTEGER NOT NULL, ops INTEGER NOT NULL, bytecode INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT NOT NULL, input TEXT NOT NULL REFERENCES inputs, run INTEGER NOT NULL,
    PRIMARY KEY (path, input)
) WITHOUT ROWID;
CREATE TABLE buckets (
    bucket TEXT PRIMARY KEY, kind TEXT NOT NULL, signature TEXT NOT NULL, text TEXT NOT NULL,
    run INTEGER NOT NULL, merged_into TEXT REFERENCES buckets, reason TEXT
) WITHOUT ROWID;
CREATE TABLE results (
    input TEXT NOT NULL REFERENCES inputs,
    configuration INTEGER NOT NULL REFERENCES configurations,
    kind TEXT NOT NULL, bucket TEXT, seconds REAL NOT NULL,
    memory INTEGER NOT NULL, time_limit REAL NOT NULL, memory_limit INTEGER,
    run INTEGER NOT NULL, created REAL NOT NULL, outcome BLOB NOT NULL,
    PRIMARY KEY (input, configuration)
) WITHOUT ROWID;
CREATE INDEX results_of_bucket ON results (bucket);
CREATE TABLE reproducers (
    bucket TEXT PRIMARY KEY REFERENCES buckets, status TEXT NOT NULL, input TEXT NOT NULL,
    configuration INTEGER NOT NULL, max_calls INTEGER, reproducer TEXT REFERENCES inputs,
    reduced_configuration INTEGER REFERENCES configurations, text TEXT, lines INTEGER, ops INTEGER,
    bytes INTEGER, input_ops INTEGER, calls INTEGER NOT NULL, compiler_seconds REAL NOT NULL,
    one_minimal INTEGER NOT NULL, verified INTEGER NOT NULL, note TEXT NOT NULL,
    created REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE history (
    run INTEGER NOT NULL REFERENCES runs, bucket TEXT NOT NULL REFERENCES buckets,
    state TEXT NOT NULL, fixed_in INTEGER REFERENCES compilers,
    PRIMARY KEY (bucket, run)
) WITHOUT ROWID;
CREATE TABLE leases (
    task TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
    expires REAL NOT NULL
) WITHOUT ROWID;
"""

_FLAGS = "ALTER TABLE compilers ADD COLUMN flags BLOB;"

_PARTING = """
ALTER TABLE buckets ADD COLUMN split_from TEXT;
ALTER TABLE buckets ADD COLUMN ops TEXT;
CREATE TABLE grounds (
    bucket TEXT PRIMARY KEY, reproducer TEXT NOT NULL, ops TEXT NOT NULL, reached INTEGER
) WITHOUT ROWID;
"""

_ONE_PROCESS = "DROP TABLE leases;"

_NOTES = """
CREATE TABLE notes (bucket TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE unread (
    run INTEGER NOT NULL REFERENCES runs, path TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (run, path)
) WITHOUT ROWID;
"""

_RUNS = "ALTER TABLE results ADD COLUMN runs INTEGER NOT NULL DEFAULT 1;"

_SEAL = "CREATE TABLE seal (sum INTEGER NOT NULL);"

MIGRATIONS = (_FIRST, _FLAGS, _PARTING, _ONE_PROCESS, _NOTES, _RUNS, _SEAL)
"""`user_version` is the number of these that have been applied to a file."""


_HEAD = b"SQLite format 3\0", APPLICATION_ID.to_bytes(4)
_KEPT = ("runs", "notes", "history")
"""What no run of a compiler can tell again, which is taken over as far as it can be read."""

_TYPES = {"TEXT": str, "INTEGER": int, "REAL": float, "BLOB": bytes}
_READERS: dict[str, Callable[[Any], object]] = {
    **dict.fromkeys(("bucket", "merged_into", "split_from"), bucket_id),
    "flags": lambda value: (
        parsed(value, list[str])
        if isinstance(value, str)
        else parsed(unpacked(value), dict[str, str])
    ),
    "kind": Kind,
    "seconds": math.trunc,
    "signature": lambda text: Signature.from_json(parsed(text)),
    "state": ("new", "known", "reopened", "fixed").index,
}
"""What raises one of `UNREADABLE` about a value that cannot be one of a column."""

_BUSY_TIMEOUT = 60.0  # seconds to wait for another writer; transactions take milliseconds


def _with_lists(statement: str, values: Sequence[object]) -> tuple[str, list[object]]:
    """A statement with as many marks as its values have items, and these."""
    lists = [[*v] if isinstance(v, list | tuple | set | frozenset) else None for v in values]
    marks = ("?" if each is None else f"({', '.join('?' * len(each))})" for each in lists)
    spelled = re.sub(r"\?", lambda _: next(marks), statement)
    flat = ([v] if each is None else each for v, each in zip(values, lists, strict=True))
    return spelled, [*chain.from_iterable(flat)]


def filled(kind: type[T], row: sqlite3.Row) -> T:
    """An object of a dataclass, whose fields are columns of a row."""
    hints = types_of(cast(Any, kind))
    return kind(**{name: _value(row[name], hint) for name, hint in hints.items()})


def _value(stored: Any, hint: Any) -> Any:
    """A value of a column as one of a type; what is missing is what is false."""
    if hint == tuple[str, ...]:
        return tuple(json.loads(stored or "[]"))
    if hint is Signature:
        return Signature.from_json(json.loads(stored))
    if isinstance(hint, type) and (hint in (bool, Kind) or stored is None):
        return hint(stored) if stored is not None else hint()
    return stored


class Database(SharedFile):
    """A database connection that can be shared between threads."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection)
        self.path = path

    _has_changed = False

    @classmethod
    def open(
        cls, path: Path, *, create: bool = True, log: Callable[[str], None] = lambda text: None
    ) -> Self:
        """Open the file, create it if `create` is set, and apply missing migrations.

        A damaged file is set aside if `create` is set, and `log` is told.

        Raises:
            UsageError: it is not a triage database, or was written by a newer version.
            BadInput: it is damaged.
            OutputNotWritable: it cannot be created or written.
        """
        if not create and not path.is_file():
            raise UsageError(f"{path}: no such triage database; give its path with --db")
        try:
            return cls._opened(path)
        except ERRORS as error:
            read_only = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY
            if not (is_damage(error) or (read_only and os.access(path, os.W_OK))):
                raise OutputNotWritable(f"cannot use {path}: {error}") from error
            if not _resembles_ours(path):
                raise UsageError(f"{path} is not a triage database: {error}") from error
            if not create:
                raise BadInput(
                    f"{path} is damaged ({error}); run the triage again, which sets it aside"
                ) from error
            aside = put_aside(path)
            log(
                f"the database {path} is damaged ({error}); moved to {aside.name} and starting over"
            )
        database = cls._opened(path)
        with suppress(*ERRORS):
            database._connection.execute("ATTACH ? AS damaged", (str(aside),))
            for table in _KEPT:
                with suppress(*ERRORS):
                    database._take_over(table)
            database._connection.execute("DETACH damaged")
        return database

    @classmethod
    def _opened(cls, path: Path) -> Self:
        try:
            check_links(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                path.absolute(),
                timeout=_BUSY_TIMEOUT,
                isolation_level=None,
                check_same_thread=False,
            )
        except (OSError, sqlite3.Error) as error:
            raise OutputNotWritable(f"cannot open {path}: {error}") from error
        connection.row_factory = sqlite3.Row
        database = cls(connection, path)
        try:
            database._prepare()
        except BaseException:
            connection.close()
            raise
        return database

    def close(self) -> None:
        """Seal the file, if something was changed, and close the connection."""
        with self._lock, suppress(*ERRORS):
            if self._has_changed:
                with self.transaction():
                    self.write("INSERT INTO seal VALUES (?)", self._sum())
        super().close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the body of a `with` atomically; other threads and processes wait meanwhile."""
        with self._lock:
            if self._connection.in_transaction:  # nested: part of the outer transaction
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.execute("DELETE FROM seal")
                self._has_changed = True
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def write(self, statement: str, *values: object) -> int:
        """Execute a statement, committed unless in a transaction; the number of rows changed."""
        with self.transaction():
            return self._connection.execute(*_with_lists(statement, values)).rowcount

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """All rows of a query. A collection among the values stands for a list, as in `IN ?`."""
        with self._lock:
            return self._connection.execute(*_with_lists(query, values)).fetchall()

    def column(self, query: str, *values: object) -> list[Any]:
        """The first column of all rows of a query."""
        return [row[0] for row in self.rows(query, *values)]

    def pairs(self, query: str, *values: object) -> dict[Any, Any]:
        """The second column of a query by the first."""
        return {row[0]: row[1] for row in self.rows(query, *values)}

    def row(self, query: str, *values: object) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        found = self.rows(query, *values)
        return found[0] if found else None

    def value(self, query: str, *values: object) -> Any:
        """The first column of the first row of a query, or None."""
        row = self.row(query, *values)
        return None if row is None else row[0]

    def number_of(
        self, table: str, key: str, facts: dict[str, object], unique: Sequence[str]
    ) -> int:
        """The number of the row with these values, which is inserted if missing.

        `key` is the column that holds the number; `unique` are the columns that identify a row.
        """
        columns = ", ".join(facts)
        self.write(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ?", (*facts.values(),))
        where = " AND ".join(f"{column} = ?" for column in unique)
        query = f"SELECT {key} FROM {table} WHERE {where}"
        return int(self.value(query, *(facts[column] for column in unique)))

    def _take_over(self, table: str) -> None:
        """Copy the rows of a table that are not damaged."""
        columns = _schema(MIGRATIONS)[table]
        for row in self.rows(f"SELECT * FROM damaged.{table}"):
            with suppress(*ERRORS):
                _check_row(table, columns, row)
                self.write(f"INSERT OR IGNORE INTO {table} VALUES ?", (*row,))

    def _prepare(self) -> None:
        check_whole(self._connection, APPLICATION_ID)
        self._check_seal()
        if self._version() > len(MIGRATIONS):
            raise UsageError(
                f"{self.path} was written by a newer version of mlir-reducer; upgrade mlir-reducer"
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if self._version() < len(MIGRATIONS):
            self._migrate()

    def _check_tables(self) -> None:
        """Check that the tables, and the rows in them, are such as this version has written.

        Raises:
            DatabaseError: they are not.
        """
        kinds = self.rows("SELECT name, type FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'")
        names = [name for name, kind in kinds if kind != "index"]
        if not names or self._version() > len(MIGRATIONS):
            return
        known = _schema(MIGRATIONS[: max(0, self._version())])
        if {name: _columns(self._connection, name) for name in names} != known:
            raise sqlite3.DatabaseError("its tables are not those of a triage")
        for table, columns in known.items():
            for row in self._connection.execute(f"SELECT * FROM {table}"):
                _check_row(table, columns, row)
        for table in ("configurations", "results", "reproducers"):
            if self.rows(f"PRAGMA foreign_key_check({table})"):
                raise sqlite3.DatabaseError(f"rows that {table} is about are missing")

    def _check_seal(self) -> None:
        """Check that the file is as it was sealed.

        Raises:
            DatabaseError: it is damaged.
        """
        self._connection.execute("BEGIN")  # one state of the file
        try:
            self._check_tables()
            tables = self.rows("SELECT 1 FROM sqlite_master WHERE name = 'seal'")
            seal = self.value("SELECT sum FROM seal") if tables else None
            if seal is not None and seal != self._sum():
                raise sqlite3.DatabaseError("its rows are not as they were written")
        finally:
            self._connection.execute("ROLLBACK")

    def _sum(self) -> int:
        """A checksum of the version, the tables and their rows, except the seal."""
        tables = self.rows("SELECT name, sql FROM sqlite_master WHERE name <> 'seal' ORDER BY name")
        found = checksum(self._version(), *map(tuple, tables))
        for name, sql in tables:
            if (sql or "").startswith("CREATE TABLE"):
                for row in self._connection.execute(f'SELECT * FROM "{name}"'):
                    found = checksum(found, *row)
        return found

    def _version(self) -> int:
        return int(self.value("PRAGMA user_version"))

    def _migrate(self) -> None:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                for migration in MIGRATIONS[self._version() :]:  # none if another was faster
                    for statement in filter(str.strip, migration.split(";")):
                        self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


@cache
def _schema(migrations: tuple[str, ...]) -> dict[str, list[tuple[Any, ...]]]:
    """The columns of each table after these migrations."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for migration in migrations:
            connection.executescript(migration)
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: _columns(connection, name) for (name,) in names}


def _columns(connection: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    """The number, name, type and further properties of each column."""
    return list(map(tuple, connection.execute("SELECT * FROM pragma_table_info(?)", (table,))))


def _check_row(table: str, columns: list[tuple[Any, ...]], row: sqlite3.Row) -> None:
    """Check that the values of a row are of the types of its columns.

    Raises:
        DatabaseError: they are not.
    """
    for (_, name, kind, *_), value in zip(columns, row, strict=True):
        if value is None:
            continue
        try:
            if not isinstance(value, _TYPES.get(kind, object)):
                raise TypeError(f"{value!r:.40} is not of type {kind}")
            _READERS.get(name, str)(value)
        except UNREADABLE as error:
            raise sqlite3.DatabaseError(f"{name} in {table}: {error}") from error


def _resembles_ours(path: Path) -> bool:
    """Whether a file begins as ours do, but for at most one bit."""
    with path.open("rb") as stream:
        head = stream.read(100)
    found = int.from_bytes(head[:16] + head[68:72])
    return (found ^ int.from_bytes(b"".join(_HEAD))).bit_count() <= 1


FOLDER, FILE = ".mlir-reducer", "triage.sqlite"


def default_database(folder: Path, metric: str | None = None) -> Path:
    """The default path of the database for a folder (or for a file's folder).

    What is measured has another one for each metric.
    """
    place = folder if folder.is_dir() else folder.parent
    return place / FOLDER / (FILE if metric is None else f"triage.{quote(metric, safe='')}.sqlite")
