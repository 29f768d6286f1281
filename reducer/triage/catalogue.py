"""What a database knows of its bugs, without running anything; and how to make it forget one."""

import json
import shlex
import shutil
from typing import Any

from reducer.triage.buckets import Group, all_groups
from reducer.triage.bugs import Known, reproducers
from reducer.triage.database import Database
from reducer.triage.reducing import buckets_folder
from reducer.triage.states import State
from reducer.triage.store import Result
from reducer.triage.summary import Bug, Cell


def all_bugs(database: Database) -> list[Bug]:
    """Every bug with all its failures so far and its state after the last run that ended."""
    known = reproducers(database)
    return [bug_of(database, group, known) for group in all_groups(database)]


def bug_of(database: Database, group: Group, known: dict[str, Known]) -> Bug:
    """One bug."""
    marks = ", ".join("?" * len(group.names))
    last = database.row(
        f"""SELECT state, name FROM history LEFT JOIN compilers ON compiler = fixed_in
            WHERE bucket IN ({marks}) ORDER BY run DESC LIMIT 1""",
        *group.names,
    )
    cells = tuple(_cells(database, group))
    mine = sorted(
        (known[name] for name in group.names if name in known),
        key=lambda one: (not one.usable, one.bucket != group.root.bucket, one.bucket),
    )
    state = State(last["state"]) if last else State.NEW
    return Bug(group, state, last["name"] if last else None, cells, mine[0] if mine else None)


def _cells(database: Database, group: Group) -> list[Cell]:
    marks = ", ".join("?" * len(group.names))
    rows = database.rows(
        f"""SELECT f.path, r.*, k.name, c.flags
            FROM results r JOIN files f USING (input) JOIN configurations c USING (configuration)
                 JOIN compilers k USING (compiler)
            WHERE r.bucket IN ({marks}) ORDER BY f.path, r.configuration""",
        *group.names,
    )
    return [
        Cell(
            row["path"],
            f"{row['name']} {shlex.join(json.loads(row['flags']))}".rstrip(),
            Result.of(row),
        )
        for row in rows
    ]


def history_of(database: Database, group: Group) -> list[tuple[int, str, str, str | None]]:
    """Run, state, and the oldest compiler without the bug, whenever one of them changed."""
    rows = database.rows(
        """SELECT run, bucket, state, name FROM history
           LEFT JOIN compilers ON compiler = fixed_in WHERE bucket = ? ORDER BY run""",
        group.root.bucket,
    )
    changes: list[tuple[int, str, str, str | None]] = []
    for row in rows:
        entry = (row["run"], row["bucket"], row["state"], row["name"])
        if not changes or changes[-1][1:] != entry[1:]:
            changes.append(entry)
    return changes


def program_of(database: Database, known: Known) -> dict[str, Any]:
    """The compiler that a reproducer was made with, and its version if it is a release."""
    row = database.row(
        """SELECT program, name, version FROM configurations JOIN compilers USING (compiler)
           WHERE configuration = ?""",
        known.configuration,
    )
    assert row is not None, "a reproducer has a configuration"
    return dict(row)


def forget(database: Database, group: Group) -> None:
    """Forgets a bug: its buckets, results, reproducers and files of ours. What fails like this
    again is new."""
    names = sorted(group.names)
    marks = ", ".join("?" * len(names))
    with database.transaction():
        for table in ("results", "reproducers", "grounds", "history", "buckets"):
            database.write(f"DELETE FROM {table} WHERE bucket IN ({marks})", *names)
    for name in names:
        shutil.rmtree(buckets_folder(database.path) / name, ignore_errors=True)
