"""Who is working on what, so that processes which share a database share the work.

A lease is a row that its owner renews. It ends when the owner gives it back, when nobody has
renewed it for a while, or, on the same machine, as soon as the owner's process is gone.
"""

import os
import socket
import sqlite3
import threading
import time
import uuid
from typing import Self

from reducer.triage.database import Database

LIFETIME = 60.0
"""Seconds that a lease holds without being renewed."""

_RENEWAL = 5.0  # seconds; so that a process may be stopped for most of a minute


class Leases:
    """The leases of this process. Renewed by a thread of their own until `close`."""

    def __init__(self, database: Database, lifetime: float = LIFETIME) -> None:
        self._database = database
        self._lifetime = lifetime
        self._host = socket.gethostname()
        self.owner = f"{self._host}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._closed = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="leases", daemon=True)
        self._keeper.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def claim(self, task: str) -> bool:
        """Takes a task; false if somebody has it."""
        with self._database.transaction():
            holder = self._database.row("SELECT * FROM leases WHERE task = ?", task)
            if holder is not None and self._holds(holder):
                return False
            self._database.write(
                "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?)",
                task, self.owner, self._host, os.getpid(), time.time() + self._lifetime,
            )  # fmt: skip
            return True

    def holder(self, task: str) -> str | None:
        """Who has a task, if anybody is at work on it."""
        row = self._database.row("SELECT * FROM leases WHERE task = ?", task)
        return str(row["owner"]) if row is not None and self._holds(row) else None

    def living(self, prefix: str) -> list[str]:
        """Tasks whose names begin like this and that somebody is at work on."""
        rows = self._database.rows(
            "SELECT * FROM leases WHERE substr(task, 1, ?) = ?", len(prefix), prefix
        )
        return [str(row["task"]) for row in rows if self._holds(row)]

    def give_back(self, task: str) -> None:
        """Ends a lease."""
        self._database.write("DELETE FROM leases WHERE task = ? AND owner = ?", task, self.owner)

    def close(self) -> None:
        """Ends all of them."""
        self._closed.set()
        self._keeper.join()
        self._database.write("DELETE FROM leases WHERE owner = ?", self.owner)

    def _holds(self, row: sqlite3.Row) -> bool:
        if row["expires"] < time.time():
            return False
        return row["host"] != self._host or _lives(row["pid"])

    def _keep(self) -> None:
        while not self._closed.wait(min(_RENEWAL, self._lifetime / 4)):
            until = time.time() + self._lifetime
            self._database.write("UPDATE leases SET expires = ? WHERE owner = ?", until, self.owner)


def _lives(pid: int) -> bool:
    """Whether there is such a process (perhaps by now another one: then the lease runs out)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
