"""Buckets (failures with the same signature) and which failure in one is cheapest to reduce."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from oracles import Kind, Outcome, Signature
from oracles.signature.match_any_error import AMONG, match_any_error
from oracles.stored import parsed, tried, unpacked
from reducer.errors import UsageError
from reducer.triage.configurations import order_of
from reducer.triage.database import Database, filled


@dataclass(frozen=True)
class Bucket:
    """A signature that occurred, and the bucket it was merged into, if any.

    If several bugs have the same signature, one keeps the signature's own bucket and the others
    are split off from it (`split_from`); `ops` then names the ops each of them is about.
    """

    bucket: str
    kind: str
    signature: Signature
    run: int
    merged_into: str | None
    reason: str | None
    split_from: str | None = None
    ops: str | None = None

    @property
    def text(self) -> str:
        return f"{self.ops}: {self.signature.text}" if self.ops else self.signature.text

    @property
    def headline(self) -> str:
        """The text with what distinguishes it first, for lists that cut it off."""
        subject = "" if self.ops else self.signature.subject
        return f"{subject}: {self.text}" if subject else self.text


@dataclass(frozen=True)
class Occurrence:
    """An input that fails in a configuration, with the data that decides how cheap it is to run."""

    bucket: str
    input: str
    configuration: int
    compiler: int
    version: str | None
    flags: tuple[str, ...]
    ops: int
    bytes: int
    seconds: float


@dataclass(frozen=True)
class Group:
    """Buckets that are one bug: the root that represents them, and all members, root included."""

    root: Bucket
    members: tuple[Bucket, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(member.bucket for member in self.members)


def all_buckets(database: Database) -> dict[str, Bucket]:
    """All buckets keyed by name, in name order."""
    rows = database.rows("SELECT * FROM buckets ORDER BY bucket")
    return {row["bucket"]: filled(Bucket, row) for row in rows}


def root_of(name: str, buckets: Mapping[str, Bucket]) -> str:
    """The bucket that represents `name` after following all merges."""
    seen = {name}
    while (onward := buckets[name].merged_into) is not None and onward not in seen:
        if onward not in buckets:  # that bucket was deleted
            break
        seen.add(onward)
        name = onward
    return name


def all_groups(database: Database) -> list[Group]:
    """All bugs, sorted by the name of their root bucket."""
    buckets = all_buckets(database)
    members: dict[str, list[Bucket]] = {}
    for name in buckets:
        members.setdefault(root_of(name, buckets), []).append(buckets[name])
    return [Group(buckets[root], tuple(found)) for root, found in sorted(members.items())]


def find_group(database: Database, prefix: str) -> Group:
    """The bug that has a bucket whose name starts with `prefix`.

    Raises:
        UsageError: no bug matches, or more than one does.
    """
    matching = [
        group
        for group in all_groups(database)
        if any(name.startswith(prefix) for name in group.names)
    ]
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise UsageError(f"no such bucket: {prefix}")
    raise UsageError(f"{prefix} is ambiguous: more than one bucket starts with it")


def occurrences(database: Database, names: Collection[str]) -> list[Occurrence]:
    """The failures of input files in these buckets, excluding those of reproducers."""
    rows = database.rows(
        """SELECT r.bucket, r.input, r.configuration, r.seconds, i.ops, i.bytes, c.flags,
                   c.compiler, k.version
            FROM results r JOIN inputs i USING (input) JOIN configurations c USING (configuration)
                 JOIN compilers k USING (compiler)
            WHERE r.bucket IN ? AND r.input IN (SELECT input FROM files)
            ORDER BY r.input, r.configuration""",
        names,
    )
    return [filled(Occurrence, row) for row in rows]


def compiles_on(database: Database, digest: str, compiler: int) -> bool:
    """Whether an input was run on a compiler and compiled with all flags that it has there."""
    kinds = database.column(
        "SELECT kind FROM results JOIN configurations USING (configuration) "
        "WHERE input = ? AND compiler = ?",
        digest,
        compiler,
    )
    return bool(kinds) and all(Kind(kind).traits.succeeded for kind in kinds)


def stored_outcome(database: Database, digest: str, configuration: int) -> Outcome | None:
    """The full outcome of an input in a configuration, or None."""
    blob = database.value(
        "SELECT outcome FROM results WHERE input = ? AND configuration = ?", digest, configuration
    )
    return tried(lambda blob: Outcome.from_json(parsed(unpacked(blob))), blob)


def masked_failure(group: Group, outcome: Outcome) -> Outcome | None:
    """The failure of a bug alone, if an outcome that is known by another has it as well.

    A run that fails in several ways has one signature. Where bugs print the same text, the text
    does not tell which of them it is.
    """
    for member in group.members:
        if member.ops is None:
            how, alone = match_any_error(member.signature, outcome)
            if how == AMONG:
                return alone
    return None


# ---- what people write, which stays whatever later runs find out ---------------------------------


def note_of(database: Database, group: Group) -> str:
    """The note about a bug; those of buckets that were merged later are all told. '' if none."""
    notes = database.pairs("SELECT bucket, text FROM notes")
    names = [group.root.bucket, *sorted(group.names - {group.root.bucket})]
    return "; ".join(dict.fromkeys(notes[name] for name in names if name in notes))


def set_note(database: Database, group: Group, text: str) -> None:
    """Replace the note about a bug; '' removes it."""
    with database.transaction():
        database.write("DELETE FROM notes WHERE bucket IN ?", group.names)
        if text:
            database.write("INSERT INTO notes VALUES (?, ?)", group.root.bucket, text)


# ---- the cheapest failure ------------------------------------------------------------------------


def newest_first(failures: Collection[Occurrence]) -> list[Occurrence]:
    """The failures on the newest compiler, then all others, the cheapest first of each.

    A bug is filed against the newest compiler that has it. On that, what was reduced with an older
    one may show another failure, behind which the bug is hidden.
    """
    newest = max((order_of(one.version, one.compiler) for one in failures), default=None)
    first = [one for one in failures if order_of(one.version, one.compiler) == newest]
    return [*cheapest_first(first), *cheapest_first([one for one in failures if one not in first])]


def cheapest_first(failures: Collection[Occurrence]) -> list[Occurrence]:
    """Sort by expected reduction cost: number of ops, run time, then bytes.

    Run times are compared only by order of magnitude, so that noise does not decide. Among equals,
    the newest compiler comes first, because that is the one to file the bug against.
    """

    def cost(one: Occurrence) -> tuple[object, ...]:
        kind, version, number = order_of(one.version, one.compiler)
        newness = (-kind, *(-part for part in (*version.release, 0, 0, 0)[:3]), -number)
        magnitude = round(math.log(max(one.seconds, 1.0), 4))
        return one.ops, magnitude, one.bytes, newness, one.input, one.flags

    return sorted(failures, key=cost)
