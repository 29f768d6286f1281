"""Reads a finished or interrupted reduction's journal without changing it."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from reducer.ir import GenericSyntaxError, Module
from reducer.session.errors import BadInput, JournalBusy, MissingInput
from reducer.session.history import KEY, History, read_history

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class JournalReader:
    """The texts of one journal."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    def history(self) -> History:
        """How the reduction went.

        Raises BadInput if the journal does not say.
        """
        history = read_history(self.text(KEY))
        if history is None:
            raise BadInput(
                f"{self._path} does not tell how the reduction went; repeat the command, which "
                "runs nothing twice, and it will"
            )
        return history

    def module(self, key: str) -> Module | None:
        """A module in generic form, None if it is not there."""
        text = self.text(key) if key else None
        try:
            return Module.parse(text) if text else None
        except GenericSyntaxError:
            return None

    def text(self, key: str) -> str | None:
        """A text stored under a key."""
        row = self._connection.execute("SELECT text FROM texts WHERE key = ?", (key,)).fetchone()
        return None if row is None else zlib.decompress(row[0]).decode(errors="surrogateescape")


@contextmanager
def reading(path: Path) -> Iterator[JournalReader]:
    """Opens a journal for reading.

    Raises:
        MissingInput: there is none.
        JournalBusy: a reduction is using it.
        BadInput: it is none, or damaged.
    """
    if not path.is_file():
        raise MissingInput(f"there is no journal {path}; name it with --journal")
    # Even a reader of a write-ahead log leaves files behind; without a log there is no writer.
    mode = "ro" if path.with_name(f"{path.name}-wal").exists() else "ro&immutable=1"
    try:
        with closing(
            sqlite3.connect(
                f"file:{quote(bytes(path.absolute()))}?mode={mode}", uri=True, timeout=1.0
            )
        ) as connection:
            yield JournalReader(path, connection)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
            raise JournalBusy(f"a reduction is using {path}; wait for it to end") from error
        raise BadInput(f"{path} is no journal of a reduction ({error})") from error
    except zlib.error as error:
        raise BadInput(f"{path} is damaged ({error})") from error
