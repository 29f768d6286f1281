"""SQLite files: a connection that threads share, and a file that no other process can use.

A file that is damaged, or cannot be written, must not end a reduction: it is set aside, or the
caller goes on in memory.
"""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

from reducer.errors import JournalBusy

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


class SharedFile:
    """A database connection and its lock. A context manager that closes the connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _ForeignFile(Exception):
    """The file is a database of another program."""


def open_alone(
    path: Path, application: int, log: Callable[[str], None]
) -> sqlite3.Connection | None:
    """Open the file, or a new one in place of a damaged one; None if neither is possible.

    No other process can use it until it is closed.

    Args:
        application: the application id of our files.
        log: receives messages for the user, such as that a damaged file was set aside.

    Raises:
        JournalBusy: another process is using the file.
    """
    try:
        return _connect(path, application)
    except (_ForeignFile, sqlite3.DatabaseError) as error:
        return _recover(path, application, error, log)


def _connect(path: Path, application: int) -> sqlite3.Connection:
    """Open, lock and check a file."""
    connection = sqlite3.connect(
        path.absolute(), timeout=0.0, isolation_level=None, check_same_thread=False
    )
    try:
        # Exclusive before WAL: no shared-memory file, and the lock is held until close or exit.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        _check(connection, application)  # before writing: it may be another program's
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")  # takes the lock
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, application: int) -> None:
    """Check that the file is empty or intact, and ours.

    Raises:
        _ForeignFile: it belongs to another program.
        DatabaseError: it is damaged.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    if tables and found != application:
        raise _ForeignFile("it belongs to another program")
    (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)


def _recover(
    path: Path, application: int, error: Exception, log: Callable[[str], None]
) -> sqlite3.Connection | None:
    """Set a damaged file aside and open a new one; None if the journal must be in memory.

    Raises:
        JournalBusy: another process is using the file.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in _BUSY:
        raise JournalBusy(
            f"another process is using {path}; wait for it to finish, or choose another output "
            "with -o"
        ) from error
    if code in _DAMAGED:
        try:
            aside = _put_aside(path)
            connection = _connect(path, application)
        except (OSError, _ForeignFile, sqlite3.Error) as second:
            log(f"cannot keep a journal in {path} ({second}); continuing without it")
            return None
        log(f"the journal {path} is damaged ({error}); moved to {aside.name} and starting over")
        return connection
    log(f"cannot keep a journal in {path} ({error}); continuing without it")
    return None


def _put_aside(path: Path) -> Path:
    aside = path.with_name(f"{path.name}.damaged")
    path.replace(aside)
    for suffix in ("-wal", "-shm"):  # they belong to the old file and would corrupt the new one
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def in_memory() -> sqlite3.Connection:
    """A database without a file."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
