"""An SQLite file that the threads of a program share until it is closed."""

import sqlite3
import threading
from typing import Self


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
