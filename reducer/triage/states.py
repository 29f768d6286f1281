"""The state of each bug (new, known, fixed, reopened), computed from the results of triage runs.

A bug is *fixed* if its reproducer compiles on a compiler newer than all that show the bug, be it
among other failures. If there is no usable reproducer, or no newer compiler compiles it, such a
compiler must compile every input that ever had the bug. An input that is gone, fails differently,
or cannot be parsed is no evidence of a fix; nor is an intermittent failure that did not occur once.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from oracles import Kind
from reducer import __version__
from reducer.triage.buckets import Group, masked_failure, stored_outcome
from reducer.triage.configurations import order_of
from reducer.triage.database import Database
from reducer.triage.reproducers import StoredReproducer

_ENOUGH_PASSES = 2
"""Runs without an intermittent failure that tell that it is gone; users say how many they take."""


class BugState(StrEnum):
    """The state of a bug compared with the previous run."""

    NEW = "new"
    KNOWN = "known"
    FIXED = "fixed"
    REOPENED = "reopened"


@dataclass(frozen=True)
class BugStatus:
    """The state of a bug, and the number of the oldest compiler known not to have it.

    `went` says that the last completed run before knew no such compiler.
    """

    state: BugState
    fixed_in: int | None
    went: bool = False


def state_of(before: BugState | None, fixed: bool) -> BugState:
    """The new state, given the state after the last completed run (None if it was unknown)."""
    if before is None:
        return BugState.NEW
    if fixed:
        return BugState.FIXED
    return BugState.REOPENED if before is BugState.FIXED else BugState.KNOWN


def status_of(
    database: Database, group: Group, known: Mapping[str, StoredReproducer], run: int
) -> BugStatus:
    """The status of a bug at the end of a run."""
    fixed_in = _fixed_in(database, group, known)
    state = state_of(_before(database, group, run), fixed_in is not None)
    return BugStatus(state, fixed_in, state is BugState.FIXED and went_in(database, group, run))


def went_in(database: Database, group: Group, run: int) -> bool:
    """Whether the run before `run` still knew the bug, and no compiler without it."""
    return None in database.column(
        """SELECT fixed_in FROM history WHERE bucket IN ?
           AND run = (SELECT max(run) FROM history WHERE run < ?)""",
        group.names,
        run,
    )


def _before(database: Database, group: Group, run: int) -> BugState | None:
    """The latest state of any of its buckets; if they differ, an open one wins."""
    column = database.column(
        """SELECT state FROM history h WHERE bucket IN ? AND run =
           (SELECT max(run) FROM history WHERE bucket = h.bucket AND run < ?)""",
        group.names,
        run,
    )
    states = set(map(BugState, column))
    if not states:
        return None
    return BugState.FIXED if states == {BugState.FIXED} else BugState.KNOWN


def _fixed_in(
    database: Database, group: Group, stored: Mapping[str, StoredReproducer]
) -> int | None:
    order = compiler_order(database)
    texts = [
        stored[name].digest
        for name in group.names
        if name in stored and stored[name].usable and _fails(database, group, stored[name].digest)
    ]
    inputs = database.column("SELECT DISTINCT input FROM results WHERE bucket IN ?", group.names)
    failing = _failing(database, group)
    newest = max((order[compiler] for compiler in failing), default=-1)
    newer = {compiler for compiler, rank in order.items() if rank > newest}
    failing = _failing_behind(database, group, {*inputs, *texts}, newer)
    newest = max((order[compiler] for compiler in failing), default=newest)
    runs = _ENOUGH_PASSES if _is_intermittent(database, group, stored) else 1
    passing = _passing(database, texts, order, newest, runs) if texts else []
    passing = passing or _passing(database, inputs, order, newest, runs)
    return min(passing, key=lambda compiler: order[compiler], default=None)


def compiler_order(database: Database) -> dict[int, int]:
    """The rank of each compiler, oldest first."""
    rows = database.rows("SELECT compiler, version FROM compilers")
    ranked = sorted(rows, key=lambda row: order_of(row["version"], row["compiler"]))
    return {row["compiler"]: rank for rank, row in enumerate(ranked)}


def _failing(database: Database, group: Group) -> set[int]:
    """Compilers on which any input or reproducer fails in this group's buckets."""
    query = "SELECT compiler FROM results JOIN configurations USING (configuration)"
    return set(database.column(f"{query} WHERE bucket IN ?", group.names))


def _failing_behind(
    database: Database, group: Group, inputs: Collection[str], compilers: Collection[int]
) -> set[int]:
    """Those of the compilers on which these inputs show the bug behind another failure."""
    rows = database.rows(
        """SELECT c.compiler, r.input, r.configuration, r.kind FROM results r
           JOIN configurations c USING (configuration) WHERE r.input IN ? AND c.compiler IN ?""",
        inputs,
        compilers,
    )
    failing = set()
    for row in rows:
        if row["compiler"] not in failing and Kind(row["kind"]).traits.is_bug:
            outcome = stored_outcome(database, row["input"], row["configuration"])
            if outcome is not None and masked_failure(group, outcome) is not None:
                failing.add(row["compiler"])
    return failing


def _fails(database: Database, group: Group, digest: str) -> bool:
    """Whether a reproducer also fails in this group with the flags used for comparison."""
    query = "SELECT 1 FROM results WHERE input = ? AND bucket IN ?"
    return database.row(query, digest, group.names) is not None


def _is_intermittent(
    database: Database, group: Group, known: Mapping[str, StoredReproducer]
) -> bool:
    """Whether something that fails like this has passed as well."""
    if any(known[name].intermittent for name in group.names if name in known):
        return True
    query = "SELECT 1 FROM results WHERE runs > 1 AND bucket IN ?"
    return database.row(query, group.names) is not None


def _passing(
    database: Database, inputs: list[str], order: Mapping[int, int], newest: int, runs: int
) -> list[int]:
    """Compilers newer than `newest` that compile all of these inputs with all flags recorded.

    What was compiled fewer than so many `runs` says nothing.
    """
    verdicts: dict[int, dict[str, bool]] = {}
    for digest in inputs:
        rows = database.rows(
            "SELECT compiler, kind, runs FROM results JOIN configurations USING (configuration) "
            "WHERE input = ?",
            digest,
        )
        for row in rows:
            if order[row["compiler"]] > newest:
                seen = verdicts.setdefault(row["compiler"], {})
                passed = Kind(row["kind"]).traits.succeeded and row["runs"] >= runs
                seen[digest] = seen.get(digest, True) and passed
    return [
        compiler
        for compiler, seen in verdicts.items()
        if len(seen) == len(set(inputs)) and all(seen.values())
    ]


def start_run(database: Database) -> int:
    """Start a run and return its number.

    Results of a killed process belong to a run that never finished; the next run reports them.
    """
    with database.transaction():
        database.write(
            "INSERT INTO runs (started, version) VALUES (?, ?)", time.time(), __version__
        )
        return int(database.value("SELECT max(run) FROM runs"))


def finish_run(
    database: Database,
    run: int,
    statuses: dict[str, BugStatus],
    unread: Mapping[str, str] | None = None,
) -> None:
    """Store the status of each bucket at the end of a run, and why inputs could not be read.

    Deletes buckets that have no failures left.
    """
    with database.transaction():
        for bucket, status in statuses.items():
            database.write(
                "INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)",
                run, bucket, str(status.state), status.fixed_in,
            )  # fmt: skip
        database.write(  # such signatures are classified differently now
            "DELETE FROM buckets WHERE bucket NOT IN "
            "(SELECT bucket FROM results WHERE bucket IS NOT NULL)"
        )
        for table in ("reproducers", "grounds"):
            database.write(f"DELETE FROM {table} WHERE bucket NOT IN (SELECT bucket FROM buckets)")
        database.write("DELETE FROM unread")  # only those of the last run are ever told
        for path, reason in (unread or {}).items():
            database.write("INSERT INTO unread VALUES (?, ?, ?)", run, path, reason)
        database.write("UPDATE runs SET finished = ? WHERE run = ?", time.time(), run)
