"""Buckets: failures with the same signature; and which of them is the cheapest to reduce."""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from oracles import Signature
from reducer.errors import UsageError
from reducer.triage.configurations import order_of
from reducer.triage.database import Database


@dataclass(frozen=True)
class Bucket:
    """A signature that was seen, and what it was merged into, if it was.

    Where several bugs print the same, one has the signature's own bucket, and the others were
    split off from it (`split_from`); then `ops` says what each of them is about.
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


@dataclass(frozen=True)
class Occurrence:
    """An input that fails in a configuration, and what it takes to see that."""

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
    """Buckets that are one bug: the one that stands for all, and those merged into it."""

    root: Bucket
    members: tuple[Bucket, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(member.bucket for member in self.members)


def all_buckets(database: Database) -> dict[str, Bucket]:
    """Every bucket by its name, in the order of names."""
    rows = database.rows("SELECT * FROM buckets ORDER BY bucket")
    return {
        row["bucket"]: Bucket(
            row["bucket"],
            row["kind"],
            Signature.from_json(json.loads(row["signature"])),
            row["run"],
            row["merged_into"],
            row["reason"],
            row["split_from"],
            row["ops"],
        )
        for row in rows
    }


def root_of(name: str, buckets: Mapping[str, Bucket]) -> str:
    """The bucket that stands for a bucket after all merges."""
    seen = {name}
    while (onward := buckets[name].merged_into) is not None and onward not in seen:
        if onward not in buckets:  # it was forgotten
            break
        seen.add(onward)
        name = onward
    return name


def all_groups(database: Database) -> list[Group]:
    """Every bug, by the name of the bucket that stands for it."""
    buckets = all_buckets(database)
    members: dict[str, list[Bucket]] = {}
    for name in buckets:
        members.setdefault(root_of(name, buckets), []).append(buckets[name])
    return [Group(buckets[root], tuple(found)) for root, found in sorted(members.items())]


def find_group(database: Database, prefix: str) -> Group:
    """The bug with the one bucket whose name begins like this.

    Raises UsageError if there is none, or more than one.
    """
    found = [
        group
        for group in all_groups(database)
        if any(name.startswith(prefix) for name in group.names)
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"there is no bucket {prefix}")
    raise UsageError(f"more than one bucket begins with {prefix}")


def occurrences(database: Database, names: Collection[str]) -> list[Occurrence]:
    """The failures of input files in these buckets (not those of reproducers)."""
    marks = ", ".join("?" * len(names))
    rows = database.rows(
        f"""SELECT r.bucket, r.input, r.configuration, r.seconds, i.ops, i.bytes, c.flags,
                   c.compiler, k.version
            FROM results r JOIN inputs i USING (input) JOIN configurations c USING (configuration)
                 JOIN compilers k USING (compiler)
            WHERE r.bucket IN ({marks}) AND r.input IN (SELECT input FROM files)
            ORDER BY r.input, r.configuration""",
        *names,
    )
    return [
        Occurrence(
            row["bucket"],
            row["input"],
            row["configuration"],
            row["compiler"],
            row["version"],
            tuple(json.loads(row["flags"])),
            row["ops"],
            row["bytes"],
            row["seconds"],
        )
        for row in rows
    ]


def cheapest_first(found: Collection[Occurrence]) -> list[Occurrence]:
    """Sorted by what a reduction would cost: few ops, a short run, few bytes.

    Run times only count by their order of magnitude, so that chance does not choose; of equals the
    newest compiler comes first, since that is what one files a bug for.
    """

    def cost(one: Occurrence) -> tuple[object, ...]:
        kind, version, number = order_of(one.version, one.compiler)
        newness = (-kind, *(-part for part in (*version.release, 0, 0, 0)[:3]), -number)
        magnitude = round(math.log(max(one.seconds, 1.0), 4))
        return one.ops, magnitude, one.bytes, newness, one.input, one.flags

    return sorted(found, key=cost)
