"""The results of a triage: the bugs, their states, and what the database has on each."""

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from reducer.asking import Cost
from reducer.errors import InternalError, OutputNotWritable
from reducer.storage.result_folder import ResultFolder
from reducer.triage.backlog import BacklogAnswer
from reducer.triage.buckets import Group, all_groups, note_of
from reducer.triage.database import Database, filled
from reducer.triage.extent import Extent, extent_of
from reducer.triage.inputs import UnreadableFile
from reducer.triage.reproducers import OUTPUT, StoredReproducer, bucket_folder, reproducers
from reducer.triage.states import BugState, went_in
from reducer.triage.store import StoredResult


@dataclass(frozen=True)
class Cell:
    """One input in one configuration. If there is no `result`, `problem` says why."""

    path: str
    configuration: str
    result: StoredResult | None
    problem: str = ""


@dataclass(frozen=True)
class Bug:
    """One bug: its buckets, its state, its failures in this run, and its reproducer.

    Attributes:
        extent: since when it occurs, and on what.
        note: what people wrote about it.
        is_gone: whether it is fixed now and was not after the run before.
    """

    group: Group
    state: BugState
    fixed_in: str | None
    cells: tuple[Cell, ...]
    reproducer: StoredReproducer | None
    extent: Extent = field(default_factory=Extent)
    note: str = ""
    is_gone: bool = False

    @property
    def name(self) -> str:
        return self.group.root.bucket

    @property
    def text(self) -> str:
        return self.group.root.text

    @property
    def headline(self) -> str:
        """The text with what distinguishes it first, for lists that cut it off."""
        return self.group.root.headline

    @property
    def paths(self) -> list[str]:
        return sorted({cell.path for cell in self.cells})

    @property
    def configurations(self) -> list[str]:
        return list(dict.fromkeys(cell.configuration for cell in self.cells))

    def to_json(self) -> dict[str, Any]:
        """The bug as JSON-serializable values."""
        return {
            "bucket": self.name,
            "state": str(self.state),
            "fixed_in": self.fixed_in,
            "gone": self.is_gone,
            "since": self.extent.since or None,
            "targets": list(self.extent.targets),
            "releases": [
                {"version": one.version, "verdict": str(one.verdict), "failure": one.failure}
                for one in self.extent.releases
            ],
            "note": self.note,
            "kind": self.group.root.kind,
            "signature": self.text,
            "merged": [
                {"bucket": member.bucket, "signature": member.text, "reason": member.reason}
                for member in self.group.members
                if member.merged_into is not None
            ],
            "failures": [
                {"input": cell.path, "configuration": cell.configuration} for cell in self.cells
            ],
            "reproducer": _reproducer(self.reproducer),
        }


@dataclass
class Summary:
    """The results of one triage run.

    Only work of this process is counted: `compiler_runs` are the compilers started to classify and
    compare inputs, `calls` those started to reduce them. `splitting_cost` is the part of the cost
    that went into distinguishing bugs with the same signature. `unparsed` are the inputs that every
    compiler rejects, and what the last one says. `internal_errors` have cost a part of the work.
    """

    run: int
    cells: list[Cell] = field(default_factory=list)
    bugs: list[Bug] = field(default_factory=list)
    unreadable: list[UnreadableFile] = field(default_factory=list)
    unusable: dict[str, str] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)
    unparsed: dict[str, str] = field(default_factory=dict)
    compiler_runs: int = 0
    calls: int = 0
    splitting_cost: Cost = field(default_factory=Cost)
    interrupted: bool = False
    internal_errors: tuple[InternalError, ...] = ()
    answers: list[BacklogAnswer] = field(default_factory=list)

    @property
    def states(self) -> Mapping[str, BugState]:
        """The state of the bug, by bucket name."""
        return {name: bug.state for bug in self.bugs for name in bug.group.names}

    @property
    def roots(self) -> Mapping[str, str]:
        """The name of the bug, by bucket name."""
        return {name: bug.name for bug in self.bugs for name in bug.group.names}

    @property
    def unread(self) -> dict[str, str]:
        """Why inputs could not be read or run, by path."""
        reasons = {one.place.shown: one.reason for one in self.unreadable}
        reasons |= dict.fromkeys(self.unmatched, "no flags match it")
        for cell in self.cells:
            if cell.problem:
                reasons.setdefault(cell.path, f"with {cell.configuration}: {cell.problem}")
        told = {path: f"no compiler can parse it: {text}" for path, text in self.unparsed.items()}
        return dict(sorted({**told, **reasons}.items()))

    def count(self, state: BugState) -> int:
        """The number of bugs in this state."""
        return sum(bug.state is state for bug in self.bugs)

    def to_json(self) -> dict[str, Any]:
        """The summary as JSON-serializable values."""
        return {
            "run": self.run,
            "interrupted": self.interrupted,
            "results": len(self.cells),
            "compiler_runs": self.compiler_runs,
            "reduction_calls": self.calls,
            "parting_calls": self.splitting_cost.calls,
            "parting_cpu_seconds": round(self.splitting_cost.cpu_seconds, 3),
            "states": {str(state): self.count(state) for state in BugState},
            "bugs": [bug.to_json() for bug in self.bugs],
            "known": [dict(vars(answer)) for answer in self.answers],
            "unreadable": [
                {"input": one.place.shown, "reason": one.reason} for one in self.unreadable
            ],
            "unusable": [
                {"configuration": name, "reason": reason} for name, reason in self.unusable.items()
            ],
            "without_flags": self.unmatched,
            "unparsed": [
                {"input": path, "reason": reason} for path, reason in self.unparsed.items()
            ],
            "problems": [
                {"input": cell.path, "configuration": cell.configuration, "reason": cell.problem}
                for cell in self.cells
                if cell.problem
            ],
        }


def _reproducer(reproducer: StoredReproducer | None) -> dict[str, Any] | None:
    if reproducer is None:
        return None
    return {
        "status": reproducer.status,
        "verified": reproducer.verified,
        "one_minimal": reproducer.one_minimal,
        "flags": list(reproducer.flags),
        "lines": reproducer.lines,
        "input_ops": reproducer.input_ops,
        "ops": reproducer.ops,
        "bytes": reproducer.bytes,
        "calls": reproducer.calls,
        "note": reproducer.note,
        "text": reproducer.text,
    }


def all_bugs(database: Database) -> list[Bug]:
    """All bugs with all recorded failures, in their state after the last completed run."""
    known = reproducers(database)
    return [bug_of(database, group, known) for group in all_groups(database)]


def bug_of(database: Database, group: Group, stored: dict[str, StoredReproducer]) -> Bug:
    """A bug with all its recorded failures and its best reproducer."""
    last = database.row(
        """SELECT state, name FROM history LEFT JOIN compilers ON compiler = fixed_in
           WHERE bucket IN ? ORDER BY run DESC LIMIT 1""",
        group.names,
    )
    cells = tuple(_cells(database, group))
    mine = sorted(
        (stored[name] for name in group.names if name in stored),
        key=lambda one: (not one.usable, one.bucket != group.root.bucket, one.bucket),
    )
    state = BugState(last["state"]) if last else BugState.NEW
    best = mine[0] if mine else None
    return Bug(
        group,
        state,
        last["name"] if last else None,
        cells,
        best,
        extent_of(database, group, best),
        note_of(database, group),
        state is BugState.FIXED and went_in(database, group, last_run(database)),
    )


def last_run(database: Database) -> int:
    """The number of the last completed run; 0 if there is none."""
    return int(database.value("SELECT max(run) FROM runs WHERE finished IS NOT NULL") or 0)


def unread_in(database: Database) -> dict[str, str]:
    """Why inputs could not be read or run in the last completed run, by path."""
    return database.pairs("SELECT path, reason FROM unread ORDER BY path")


def _cells(database: Database, group: Group) -> list[Cell]:
    rows = database.rows(
        """SELECT f.path, r.*, k.name, c.flags
           FROM results r JOIN files f USING (input) JOIN configurations c USING (configuration)
                JOIN compilers k USING (compiler)
           WHERE r.bucket IN ? ORDER BY f.path, r.configuration""",
        group.names,
    )
    return [
        Cell(
            row["path"],
            f"{row['name']} {shlex.join(json.loads(row['flags']))}".rstrip(),
            filled(StoredResult, row),
        )
        for row in rows
    ]


def history_of(database: Database, group: Group) -> list[tuple[int, str, str, str | None]]:
    """Run, state, and oldest compiler without the bug, for each run in which these changed."""
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


def program_of(database: Database, known: StoredReproducer) -> dict[str, Any]:
    """The compiler that a reproducer was made with, and its version if it is a release."""
    row = database.row(
        """SELECT program, name, version FROM configurations JOIN compilers USING (compiler)
           WHERE configuration = ?""",
        known.configuration,
    )
    assert row is not None, "a reproducer has a configuration"
    return dict(row)


def forget(database: Database, group: Group) -> None:
    """Delete a bug: its buckets, results, reproducers and reduction files.

    A later failure of the same kind counts as new.
    """
    names = sorted(group.names)
    with database.transaction():
        for table in ("results", "reproducers", "grounds", "history", "buckets"):
            database.write(f"DELETE FROM {table} WHERE bucket IN ?", names)
    for name in names:
        with suppress(OSError, OutputNotWritable):
            result = bucket_folder(database.path, name) / OUTPUT
            place = ResultFolder.of(result)
            place.remove_all()
            result.parent.rmdir()
