"""SQLite files: a connection that threads share, and a file that no other process can use.

A file that is damaged, or cannot be written, must not end a reduction: it is set aside, or the
caller goes on in memory.

Each row can have a checksum, since SQLite notices damage to its own structures only: with another
bit in an index, it returns the row of another key.
"""

import errno
import fcntl
import os
import sqlite3
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self
from urllib.parse import quote

from reducer.errors import JournalBusy

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNUSABLE = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)
"""Errors that say nothing about the content."""
ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises; the latter for a message that quotes damaged text."""
_SUFFIXES = ("-wal", "-shm", "-journal")
_FIRST_BYTE = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
"""The part of the file that we lock. SQLite's own locks are on others, one gigabyte further."""


_locks: dict[int, bool] = {}
"""The descriptors with our lock on a file, and whether that file is open."""
_are_kept = False


@contextmanager
def locks_kept() -> Iterator[None]:
    """In the body of the `with`, files stay locked by this process after they were closed."""
    global _are_kept
    _are_kept = True
    try:
        yield
    finally:
        _are_kept = False
        for descriptor in [one for one, is_open in _locks.items() if not is_open]:
            _unlock(descriptor)


def _unlock(descriptor: int) -> None:
    """Drop a lock, or keep it for the next who opens the file."""
    if _are_kept:
        _locks[descriptor] = False
    else:
        del _locks[descriptor]
        os.close(descriptor)


def _leave_to_parent() -> None:
    """In a forked child: what is locked is the parent's, and goes with that."""
    for descriptor in _locks:
        os.close(descriptor)
    _locks.clear()


os.register_at_fork(after_in_child=_leave_to_parent)


class _OwnFile(sqlite3.Connection):
    """A connection to a file that this process has locked until the connection is closed.

    SQLite's own locks belong to the process: whatever opens and closes the file would drop them.
    This one belongs to a descriptor.
    """

    descriptor: int | None = None

    def close(self) -> None:
        super().close()
        if self.descriptor in _locks:
            _unlock(self.descriptor)
        self.descriptor = None


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


Check = Callable[[sqlite3.Connection], None]
"""Looks at what a file of ours contains, and raises DatabaseError if that is damaged."""


def open_alone(
    path: Path, application: int, check: Check, log: Callable[[str], None]
) -> sqlite3.Connection | None:
    """Open the file, or a new one in place of a damaged one; None if neither is possible.

    No other process can use it until it is closed.

    Args:
        application: the application id of our files.
        check: looks at the content, and may add to it.
        log: receives messages for the user, such as that a damaged file was set aside.

    Raises:
        JournalBusy: another process is using the file.
    """
    try:
        return _connect(path, application, check, log)
    except ERRORS as error:
        why: Exception = error
    if _code(why) in _BUSY:
        raise _busy(path) from why
    if is_damage(why):
        try:
            aside = put_aside(path)
            connection = _connect(path, application, check, log)
        except (OSError, *ERRORS) as error:
            why = error
        else:
            log(f"the journal {path} is damaged ({why}); moved to {aside.name} and starting over")
            return connection
    log(f"cannot keep a journal in {path} ({why}); continuing without it")
    return None


def _connect(
    path: Path, application: int, check: Check, log: Callable[[str], None]
) -> sqlite3.Connection:
    """Lock, open and check a file."""
    check_links(path)
    descriptor, has_locks = _lock(path)
    if not has_locks:
        log(f"the file system of {path} has no locks: run only one reduction with this result")
    try:
        connection = sqlite3.connect(
            f"file:{quote(bytes(path.absolute()))}?nolock={0 if has_locks else 1}",
            timeout=0.0,
            isolation_level=None,
            check_same_thread=False,
            factory=_OwnFile,
            uri=True,
        )
    except BaseException:
        if descriptor is not None:
            _unlock(descriptor)
        raise
    connection.descriptor = descriptor
    connection.create_function("checksum", -1, checksum, deterministic=True)
    try:
        # Exclusive before WAL: no shared-memory file, and the lock is held until close or exit.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        check_whole(connection, application)  # before writing: it may be another program's
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")  # takes the lock
        check(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _lock(path: Path) -> tuple[int | None, bool]:
    """A descriptor with our lock on the file, and whether the file system has locks.

    Without a descriptor the file cannot be opened, and SQLite will say why.

    Raises:
        JournalBusy: another process has locked the file.
    """
    for kept, is_open in list(_locks.items()):
        with suppress(FileNotFoundError):
            if not is_open and os.path.samestat(os.fstat(kept), path.stat()):
                _locks[kept] = True
                return kept, True
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError:
            return None, True
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _FIRST_BYTE)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                _locks[descriptor] = True
                return descriptor, True
        except FileNotFoundError:
            pass  # whoever used it has just deleted it
        except OSError as error:
            os.close(descriptor)
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise _busy(path) from error
            return None, False
        os.close(descriptor)


def _busy(path: Path) -> JournalBusy:
    return JournalBusy(
        f"another process is using {path}; wait for it to finish, or choose another output with -o"
    )


def checksum(*values: object) -> int:
    """A number that tells values from those with another bit, as an SQL function as well."""
    return zlib.crc32(repr(values).encode(errors="surrogatepass"))


def check_links(path: Path) -> None:
    """Check that what SQLite writes does not go to another place.

    Raises:
        DatabaseError: the file, or one beside it, is a link.
    """
    for one in (path, *(path.with_name(path.name + suffix) for suffix in _SUFFIXES)):
        if one.is_symlink():
            raise sqlite3.DatabaseError(f"{one.name} is a symbolic link")


def check_whole(connection: sqlite3.Connection, application: int) -> None:
    """Check that the file is empty or intact, and ours.

    Raises:
        DatabaseError: it is damaged, or belongs to another program.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    if tables and found != application:
        raise sqlite3.DatabaseError("it has the id of another program")
    (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)


def is_damage(error: Exception) -> bool:
    """Whether an error is about what a file contains."""
    return _code(error) not in (*_BUSY, *_UNUSABLE)


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF


def put_aside(path: Path) -> Path:
    """Rename a damaged file, with its write-ahead log, to a name that nothing has; return that."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged{number if number > 1 else ''}")).exists():
        number += 1
    path.replace(aside)
    for suffix in _SUFFIXES:  # they belong to the old file and would corrupt the new one
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    return aside


def in_memory() -> sqlite3.Connection:
    """A database without a file."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.create_function("checksum", -1, checksum, deterministic=True)
    return connection
