"""Finds buckets that are one bug seen on several compilers.

The same bug fails a little differently from release to release, so its signature, and with it the
bucket, is another one. Similar words prove nothing; runs do. Two buckets become one if

1. both reproducers are minimal: nothing can be taken away from them, so they are the bug;
2. each of them, run on the other's compiler, fails like the other. Where one signature is the other
   in the words of another release (`reducer.releases.likeness`), it is enough that both fail like
   one of the two on the compiler of that one, and the reproducer of that one on both compilers;
3. they are the same program but for names, or the signatures are alike in that sense; and
4. no input of either speaks against it by passing, or failing in a third way, on the other's
   compiler.

The last two are for bugs that stand behind one another: where the first is fixed, its inputs run
into the next. Buckets of one compiler are never merged: what fails differently there is not the
same, whatever it looks like.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from reducer.releases.classifier import tolerated_difference
from reducer.triage.buckets import Bucket, all_buckets, occurrences, root_of
from reducer.triage.comparing import fingerprint
from reducer.triage.configurations import Compiler
from reducer.triage.database import Database, Store, StoredResult
from reducer.triage.reproducers import StoredReproducer
from reducer.triage.run_matrix import RunMatrix


class RecordedEvidence:
    """Looks results up on the compilers of this run."""

    def __init__(self, store: Store, matrix: RunMatrix) -> None:
        self._store = store
        self._matrix = matrix
        self._compilers = {store.compiler(one): one for one in matrix.compilers}

    def bucket_on(self, known: StoredReproducer, compiler: int) -> str | None:
        """The bucket in which a reproducer fails on a compiler; None if it does not."""
        result = self._result(known.digest, known.all_flags, compiler)
        return result.bucket if result else None

    def contradicts(self, bucket: str, compiler: int, allowed: Collection[str]) -> bool:
        """Whether an input of a bucket does something else on a compiler than fail like these."""
        for one in occurrences(self._store.database, [bucket]):
            result = self._result(one.input, one.flags, compiler)
            if result is None or not result.kind.traits.tells:
                continue
            if result.bucket not in allowed:
                return True
        return False

    def _result(self, digest: str, flags: tuple[str, ...], compiler: int) -> StoredResult | None:
        found: Compiler | None = self._compilers.get(compiler)
        if found is None:
            return None
        number = self._store.configuration(self._matrix.configuration(found, flags))
        return self._store.result(digest, number)


class Evidence(Protocol):
    """What was run. Compilers go by their numbers in the database."""

    def bucket_on(self, known: StoredReproducer, compiler: int) -> str | None:
        """The bucket in which a reproducer fails on a compiler; None if it does not."""
        ...

    def contradicts(self, bucket: str, compiler: int, allowed: Collection[str]) -> bool:
        """Whether an input of a bucket does something else on a compiler than fail like these."""
        ...


@dataclass(frozen=True)
class Merge:
    """A bucket that is the same bug as another one, and how that is known."""

    bucket: str
    into: str
    reason: str


def find_merges(
    buckets: Mapping[str, Bucket],
    known: Mapping[str, StoredReproducer],
    names: Mapping[int, str],
    evidence: Evidence,
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
            reason = _reason(current[first], current[second], known, names, evidence)
            if reason is None:
                continue
            into, bucket = sorted(roots, key=lambda name: _seniority(current[name]))
            merges.append(Merge(bucket, into, reason))
            current[bucket] = _merged(current[bucket], into, reason)
    return merges


def _seniority(bucket: Bucket) -> tuple[int, str]:
    return bucket.run, bucket.bucket


def _merged(bucket: Bucket, into: str, reason: str) -> Bucket:
    return replace(bucket, merged_into=into, reason=reason)


def _reason(
    first: Bucket,
    second: Bucket,
    known: Mapping[str, StoredReproducer],
    names: Mapping[int, str],
    evidence: Evidence,
) -> str | None:
    """How it is known that two buckets are one bug; None if it is not."""
    one, other = known[first.bucket], known[second.bucket]
    if one.compiler == other.compiler:
        return None
    there = evidence.bucket_on(one, other.compiler)
    back = evidence.bucket_on(other, one.compiler)
    how = _how_alike(first, second)
    if (there, back) == (second.bucket, first.bucket):
        if fingerprint(one.text) == fingerprint(other.text):
            alike = "the reproducers are the same program"
        elif how is not None:
            alike = f"the failures are alike, only {how}"
        else:
            return None
    elif there == back and there in (first.bucket, second.bucket) and how is not None:
        alike = f"the failures are alike, only {how}"
    else:
        return None
    both = {first.bucket, second.bucket}
    if evidence.contradicts(first.bucket, other.compiler, both):
        return None
    if evidence.contradicts(second.bucket, one.compiler, both):
        return None
    return (
        f"{alike}; that of {first.bucket} fails as {there} on {names[other.compiler]}, "
        f"and that of {second.bucket} as {back} on {names[one.compiler]}"
    )


def _how_alike(first: Bucket, second: Bucket) -> str | None:
    """What differs between two signatures; None if one is not the other, whichever came first."""
    one, other = first.signature, second.signature
    found = (tolerated_difference(one, other), tolerated_difference(other, one))
    return next((how for how in found if how is not None), None)


def merge(
    database: Database, known: Mapping[str, StoredReproducer], evidence: Evidence
) -> list[Merge]:
    """Finds and keeps merges, in one transaction."""
    rows = database.rows("SELECT compiler, name FROM compilers")
    names = {row["compiler"]: row["name"] for row in rows}
    with database.transaction():
        found = find_merges(all_buckets(database), known, names, evidence)
        for one in found:
            database.write(
                "UPDATE buckets SET merged_into = ?, reason = ? WHERE bucket = ?",
                one.into, one.reason, one.bucket,
            )  # fmt: skip
    return found
