"""One triage at a time works on a database; whoever only reads it need not ask."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from reducer.session.errors import DatabaseBusy, OutputNotWritable
from reducer.triage.database import Database
from reducer.triage.reducing import buckets_folder


@contextmanager
def owned(database: Database) -> Iterator[None]:
    """Keeps other triages away in the body of a `with`.

    The kernel drops the lock when its holder dies, however it does. It is on the folder beside the
    database, since closing any descriptor of the file itself would drop SQLite's own locks.

    Raises:
        DatabaseBusy: another process is at work on it.
        OutputNotWritable: the folder cannot be made or locked.
    """
    folder = buckets_folder(database.path)
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DatabaseBusy(
                f"another triage is using {database.path}; run this one again when it has ended, "
                "or give another database with --db"
            ) from error
        except OSError as error:
            raise OutputNotWritable(f"cannot use {folder}: {error.strerror}") from error
        yield
