"""The one SQLite file of a triage: opened, checked and migrated.

Readers never wait for a writer (write-ahead logging); writers wait for each other a while. Every
change is one short transaction, so that a killed process leaves nothing half done.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from reducer.session.errors import OutputNotWritable, UsageError
from reducer.session.shared_file import SharedFile
from reducer.triage.schema import APPLICATION_ID, MIGRATIONS

_PATIENCE = 60.0  # seconds to wait for another writer; each holds the file for milliseconds


class Database(SharedFile):
    """A connection that several threads may use."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection)
        self.path = path

    @classmethod
    def open(cls, path: Path, *, create: bool = True) -> Self:
        """Opens the file, makes it if wanted, and brings it up to date.

        Raises:
            UsageError: it is no triage database, or one of a newer version of this program.
            OutputNotWritable: it cannot be made or written.
        """
        if not create and not path.is_file():
            raise UsageError(f"there is no triage database {path}; say where with --db")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                path.absolute(), timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise OutputNotWritable(f"cannot open {path}: {error}") from error
        connection.row_factory = sqlite3.Row
        database = cls(connection, path)
        try:
            database._prepare()
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.OperationalError):
                raise OutputNotWritable(f"cannot use {path}: {error}") from error
            if isinstance(error, sqlite3.DatabaseError):
                raise UsageError(f"{path} is no triage database: {error}") from error
            raise
        return database

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing of what is done in the body of a `with`; others wait meanwhile."""
        with self._lock:
            if self._connection.in_transaction:  # part of a larger one
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def write(self, statement: str, *values: object) -> int:
        """One statement, committed unless in a transaction; how many rows it changed."""
        with self._lock:
            return self._connection.execute(statement, values).rowcount

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """What a query finds."""
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: object) -> sqlite3.Row | None:
        """The first row that a query finds."""
        found = self.rows(query, *values)
        return found[0] if found else None

    def value(self, query: str, *values: object) -> Any:
        """The first column of the first row, or None."""
        row = self.row(query, *values)
        return None if row is None else row[0]

    def number_of(
        self, table: str, key: str, facts: dict[str, object], unique: Sequence[str]
    ) -> int:
        """The number of the row with these facts, which is added if it is missing.

        `key` is the column with the number; `unique` are the columns that tell rows apart.
        """
        columns = ", ".join(facts)
        marks = ", ".join("?" * len(facts))
        self.write(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", *facts.values())
        where = " AND ".join(f"{column} = ?" for column in unique)
        query = f"SELECT {key} FROM {table} WHERE {where}"
        return int(self.value(query, *(facts[column] for column in unique)))

    def _prepare(self) -> None:
        tables = self.value("SELECT count(*) FROM sqlite_master")
        if tables and self.value("PRAGMA application_id") != APPLICATION_ID:
            raise UsageError(f"{self.path} is a database of another program")
        if self._version() > len(MIGRATIONS):
            raise UsageError(
                f"{self.path} was made by a newer version of mlir-reducer; update this one"
            )
        self.write("PRAGMA journal_mode = WAL")
        self.write("PRAGMA synchronous = NORMAL")
        if self._version() < len(MIGRATIONS):
            self._migrate()

    def _version(self) -> int:
        return int(self.value("PRAGMA user_version"))

    def _migrate(self) -> None:
        with self.transaction():
            for migration in MIGRATIONS[self._version() :]:  # none, if another process was faster
                for statement in filter(str.strip, migration.split(";")):
                    self.write(statement)
            self.write(f"PRAGMA application_id = {APPLICATION_ID}")
            self.write(f"PRAGMA user_version = {len(MIGRATIONS)}")
