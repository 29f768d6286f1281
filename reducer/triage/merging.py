"""Finds buckets that are one bug seen on several compilers.

The same bug fails a little differently from release to release, so its signature, and with it the
bucket, is another one. Similar words prove nothing; runs do. Two buckets become one if

1. both reproducers are minimal: nothing can be taken away from them, so they are the bug;
2. each fails like the other on the other's compiler, which was run and is in the database; and
3. they are the same program but for names, or one signature is the other in the words of another
   release (`reducer.releases.likeness`).

The second rules out nearly everything; the third what is left: two bugs behind one another on the
way of one program. Buckets of one compiler are never merged: what fails differently there is not
the same, whatever it looks like.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reducer.releases.likeness import likeness
from reducer.triage.buckets import Bucket, all_buckets, root_of
from reducer.triage.bugs import Known
from reducer.triage.database import Database
from reducer.triage.same_program import fingerprint

Crossed = Callable[[Known, int], str | None]
"""The bucket in which a reproducer fails on a compiler (by number); None if it does not."""


@dataclass(frozen=True)
class Merge:
    """A bucket that is the same bug as another one, and how that is known."""

    bucket: str
    into: str
    reason: str


def find_merges(
    buckets: Mapping[str, Bucket],
    known: Mapping[str, Known],
    names: Mapping[int, str],
    crossed: Crossed,
) -> list[Merge]:
    """Merges to make now, none of which was made before. `names` are those of compilers."""
    merges: list[Merge] = []
    current = dict(buckets)
    minimal = sorted(name for name, one in known.items() if one.minimal and name in buckets)
    for number, first in enumerate(minimal):
        for second in minimal[number + 1 :]:
            roots = root_of(first, current), root_of(second, current)
            if roots[0] == roots[1]:
                continue
            reason = _reason(current[first], current[second], known, names, crossed)
            if reason is None:
                continue
            into, bucket = sorted(roots, key=lambda name: _seniority(current[name]))
            merges.append(Merge(bucket, into, reason))
            current[bucket] = _merged(current[bucket], into, reason)
    return merges


def _seniority(bucket: Bucket) -> tuple[int, str]:
    return bucket.run, bucket.bucket


def _merged(bucket: Bucket, into: str, reason: str) -> Bucket:
    return Bucket(bucket.bucket, bucket.kind, bucket.signature, bucket.run, into, reason)


def _reason(
    first: Bucket,
    second: Bucket,
    known: Mapping[str, Known],
    names: Mapping[int, str],
    crossed: Crossed,
) -> str | None:
    """How it is known that two buckets are one bug; None if it is not."""
    one, other = known[first.bucket], known[second.bucket]
    if one.compiler == other.compiler:
        return None
    if crossed(one, other.compiler) != second.bucket:
        return None
    if crossed(other, one.compiler) != first.bucket:
        return None
    if fingerprint(one.text) == fingerprint(other.text):
        alike = "the reproducers are the same program"
    elif (how := _how_alike(first, second)) is not None:
        alike = f"the failures are alike, only {how}"
    else:
        return None
    return (
        f"{alike}; that of {first.bucket} fails as {second.bucket} on "
        f"{names[other.compiler]}, and that of {second.bucket} as {first.bucket} on "
        f"{names[one.compiler]}"
    )


def _how_alike(first: Bucket, second: Bucket) -> str | None:
    """What differs between two signatures; None if one is not the other, whichever came first."""
    one, other = first.signature, second.signature
    found = (likeness(one, other), likeness(other, one))
    return next((how for how in found if how is not None), None)


def merge(database: Database, known: Mapping[str, Known], crossed: Crossed) -> list[Merge]:
    """Finds and keeps merges, in one transaction."""
    rows = database.rows("SELECT compiler, name FROM compilers")
    names = {row["compiler"]: row["name"] for row in rows}
    with database.transaction():
        found = find_merges(all_buckets(database), known, names, crossed)
        for one in found:
            database.write(
                "UPDATE buckets SET merged_into = ?, reason = ? WHERE bucket = ?",
                one.into, one.reason, one.bucket,
            )  # fmt: skip
    return found
