"""The reproducers in the database: one for each bucket that was reduced."""

import json
import time
from dataclasses import dataclass

from reducer.triage.database import Database
from reducer.triage.inputs import digest_of
from reducer.triage.reducing import Reproducer
from reducer.triage.store import Store


@dataclass(frozen=True)
class Known:
    """A reproducer as it is kept: with what it was made from, and its own flags and content.

    `all_flags` are those of the input. What one compiler can do without, another may want, so it
    is with these that compilers are compared.
    """

    bucket: str
    status: str
    input: str
    configuration: int
    compiler: int
    flags: tuple[str, ...]
    all_flags: tuple[str, ...]
    text: str
    digest: str
    lines: int
    ops: int
    bytes: int
    input_ops: int
    calls: int
    one_minimal: bool
    verified: bool
    note: str
    max_calls: int | None

    @property
    def usable(self) -> bool:
        """Whether there is a program that fails like the bucket."""
        return bool(self.text) and self.verified

    @property
    def minimal(self) -> bool:
        """Whether nothing could be taken away from it: then it is the bug, and not just a model."""
        return self.usable and self.one_minimal


def reproducers(database: Database) -> dict[str, Known]:
    """All of them, by bucket."""
    rows = database.rows(
        """SELECT p.*, c.compiler, c.flags AS all_flags, d.flags FROM reproducers p
           JOIN configurations c ON c.configuration = p.configuration
           LEFT JOIN configurations d ON d.configuration = p.reduced_configuration
           ORDER BY bucket"""
    )
    return {
        row["bucket"]: Known(
            row["bucket"],
            row["status"],
            row["input"],
            row["configuration"],
            row["compiler"],
            tuple(json.loads(row["flags"] or "[]")),
            tuple(json.loads(row["all_flags"])),
            row["text"] or "",
            row["reproducer"] or "",
            row["lines"] or 0,
            row["ops"] or 0,
            row["bytes"] or 0,
            row["input_ops"] or 0,
            row["calls"],
            bool(row["one_minimal"]),
            bool(row["verified"]),
            row["note"],
            row["max_calls"],
        )
        for row in rows
    }


def keep(
    store: Store,
    bucket: str,
    source: tuple[str, int],
    found: Reproducer,
    *,
    reduced_configuration: int | None,
    max_calls: int | None,
) -> None:
    """Remembers a reproducer. `source` is the input and the configuration it was made from."""
    data = found.text.encode(errors="surrogateescape")
    digest = digest_of(data) if data else None
    with store.database.transaction():
        if digest is not None:
            store.add_input(digest, len(data), found.ops)
        store.database.write(
            "INSERT OR REPLACE INTO reproducers VALUES "
            "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            bucket, found.status, *source, max_calls, digest, reduced_configuration,
            data.decode(errors="backslashreplace"), found.lines, found.ops, found.bytes,
            found.input_ops, found.calls, found.compiler_seconds, found.one_minimal,
            found.verified, found.note, time.time(),
        )  # fmt: skip
