"""Since when a bug occurs, and on what: the releases and targets that show it."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from oracles import Command, Kind
from reducer.bisect.query import ReleaseVerdict, health_of
from reducer.identity.builds.configs import target_of
from reducer.identity.builds.statements import ReleaseLine
from reducer.toolchain.model import age_of
from reducer.triage.buckets import Group, masked_failure, stored_outcome
from reducer.triage.database import Database
from reducer.triage.reproducers import StoredReproducer


@dataclass(frozen=True)
class ReleaseState:
    """What one release does with a bug, and the failure that it shows, '' if none."""

    version: str
    verdict: ReleaseVerdict
    failure: str = ""


@dataclass(frozen=True)
class Extent:
    """Where a bug occurs: `releases` oldest first, and the `targets` of the failing flags."""

    releases: tuple[ReleaseState, ...] = ()
    targets: tuple[str, ...] = ()

    @property
    def since(self) -> str:
        """The first release with the bug, as far as is known; '' if only one was asked."""
        line = ReleaseLine({one.version: health_of(one.verdict) for one in self.releases})
        return line.since if len(self.releases) > 1 else ""

    @property
    def short_since(self) -> str:
        """The same for a column: `3.8.0`, or `≤3.8.0` if an earlier release may have it too."""
        bad = [one.version for one in self.releases if one.verdict is ReleaseVerdict.BAD]
        return self.since and (bad[0] if self.since == bad[0] else f"≤{bad[0]}")


def extent_of(database: Database, group: Group, reproducer: StoredReproducer | None) -> Extent:
    """The extent of a bug.

    What a release does with the reproducer decides. Where it shows another failure, and if no
    release has shown it to fail like this, as when the triage was stopped, the inputs are asked: a
    release has the bug if one of them fails like this, and not if all that ever did compile.
    """
    digests = [reproducer.digest] if reproducer is not None and reproducer.usable else []
    results = {one.version: one for one in _results_of(database, group, digests)}
    if not any(one.verdict is ReleaseVerdict.BAD for one in results.values()):
        results.clear()
    for one in _results_of(database, group, _inputs(database, group)):
        before = results.get(one.version)
        if before is None or (before.verdict not in _DECIDED and one.verdict in _DECIDED):
            results[one.version] = one
    releases = sorted(results.values(), key=lambda one: age_of(one.version))
    return Extent(tuple(releases), _targets(database, group))


_DECIDED = (ReleaseVerdict.BAD, ReleaseVerdict.GOOD)


def _results_of(database: Database, group: Group, digests: Sequence[str]) -> list[ReleaseState]:
    """What each release does with some programs, in no order."""
    rows: dict[str, list[sqlite3.Row]] = {}
    for row in _results(database, digests):
        rows.setdefault(row["version"], []).append(row)
    results = []
    for version, some in rows.items():
        verdict, telling = _verdict(some, group, len(digests))
        outcome = (
            None
            if telling is None
            else stored_outcome(database, telling["input"], telling["configuration"])
        )
        if verdict is ReleaseVerdict.OTHER and outcome is not None:
            behind = masked_failure(group, outcome)
            if behind is not None:
                verdict, outcome = ReleaseVerdict.BAD, behind
        failure = "" if outcome is None else outcome.signature.text
        results.append(ReleaseState(version, verdict, failure))
    return results


def _results(database: Database, digests: Sequence[str]) -> list[sqlite3.Row]:
    return database.rows(
        """SELECT k.version, r.input, r.configuration, r.kind, r.bucket FROM results r
           JOIN configurations USING (configuration) JOIN compilers k USING (compiler)
           WHERE r.input IN ? AND k.version IS NOT NULL ORDER BY r.configuration""",
        digests,
    )


def _verdict(
    rows: Sequence[sqlite3.Row], group: Group, wanted: int
) -> tuple[ReleaseVerdict, sqlite3.Row | None]:
    """What the results of one release say, and the failure among them that shows it."""
    bad = next((row for row in rows if row["bucket"] in group.names), None)
    if bad is not None:
        return ReleaseVerdict.BAD, bad
    traits = [Kind(row["kind"]).traits for row in rows]
    if all(one.succeeded for one in traits) and len({row["input"] for row in rows}) == wanted:
        return ReleaseVerdict.GOOD, None
    other = next((row for row, one in zip(rows, traits, strict=True) if one.is_bug), None)
    if other is not None:
        return ReleaseVerdict.OTHER, other
    rejected = next((row for row, one in zip(rows, traits, strict=True) if one.rejected), None)
    return ReleaseVerdict.CANNOT_TELL, rejected


def _inputs(database: Database, group: Group) -> list[str]:
    return database.column(
        """SELECT DISTINCT input FROM results WHERE bucket IN ?
           AND input IN (SELECT input FROM files) ORDER BY input""",
        group.names,
    )


def _targets(database: Database, group: Group) -> tuple[str, ...]:
    """The targets of the flags with which inputs fail like this, sorted."""
    rows = database.rows(
        """SELECT DISTINCT c.program, c.flags FROM results JOIN configurations c
           USING (configuration) WHERE bucket IN ?""",
        group.names,
    )
    commands = [Command.parse([row["program"], *json.loads(row["flags"])]) for row in rows]
    return tuple(sorted({target_of(command) for command in commands} - {""}))
