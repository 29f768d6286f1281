"""Find buckets that are one bug seen on several compilers.

The message of a bug changes a little from release to release, and with it the signature and the
bucket. Similar wording proves nothing, so the decision is based on runs. Two buckets are merged if

1. both reproducers are minimal: nothing can be removed, so they are the bug;
2. each of them, run on the other's compiler, fails like the other. If the signatures show only a
   tolerated difference (`oracles.signature.comparison`, across builds), it is enough that both
   reproducers fail with the same one of the two signatures on each other's compiler; or that one
   of them fails like the other, and they are the same program but for sizes: one release may fail
   for more sizes than the other. Two hangs must then also be in a pass of nearly the same name;
3. they are the same program up to names, or show only a tolerated difference; and
4. no input of either bucket contradicts this by passing, or failing in a third way, on the other's
   compiler or on one between the two.

Conditions 3 and 4 guard against one bug hiding another: once the first is fixed, its inputs run
into the second. Buckets of the same compiler are never merged: there, different signatures mean
different failures, however similar they look.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from oracles import Signature
from oracles.signature.comparison import Across, difference
from reducer.triage.buckets import Bucket, all_buckets, occurrences, root_of
from reducer.triage.comparing import fingerprint, fingerprint_but_for_sizes
from reducer.triage.configurations import Compiler
from reducer.triage.database import Database
from reducer.triage.reproducers import StoredReproducer
from reducer.triage.run_matrix import RunMatrix
from reducer.triage.states import compiler_order
from reducer.triage.store import Store, StoredResult


class RecordedEvidence:
    """Looks up recorded results on the compilers of this run."""

    def __init__(self, store: Store, matrix: RunMatrix) -> None:
        self._store = store
        self._matrix = matrix
        self._compilers = {store.compiler(one): one for one in matrix.compilers}

    def bucket_on(self, known: StoredReproducer, compiler: int) -> str | None:
        """The bucket a reproducer falls into on a compiler; None if it passes or has no result."""
        result = self._result(known.digest, known.all_flags, compiler)
        return result.bucket if result else None

    def contradicts(self, bucket: str, compiler: int, allowed: Collection[str]) -> bool:
        """Whether an input of `bucket` has any result on a compiler but an `allowed` bucket.

        One bug is also on the compilers between that and the one on which the input fails.
        """
        for one in occurrences(self._store.database, [bucket]):
            for other in self._from_to(one.compiler, compiler):
                result = self._result(one.input, one.flags, other)
                if result is None or not result.kind.traits.tells:
                    continue
                if result.bucket not in allowed:
                    return True
        return False

    def _from_to(self, first: int, last: int) -> list[int]:
        """The last compiler, and those of this run between the two."""
        order = compiler_order(self._store.database)
        ends = sorted((order[first], order[last])) if first in order and last in order else [0, 0]
        between = [one for one in self._compilers if ends[0] < order[one] < ends[1]]
        return [last, *between]

    def _result(self, digest: str, flags: tuple[str, ...], compiler: int) -> StoredResult | None:
        found: Compiler | None = self._compilers.get(compiler)
        if found is None:
            return None
        number = self._store.configuration(self._matrix.configuration(found, flags))
        return self._store.result(digest, number)


class MergeEvidence(Protocol):
    """Results of past runs. Compilers are identified by their numbers in the database."""

    def bucket_on(self, known: StoredReproducer, compiler: int) -> str | None:
        """The bucket a reproducer falls into on a compiler; None if it passes or has no result."""
        ...

    def contradicts(self, bucket: str, compiler: int, allowed: Collection[str]) -> bool:
        """Whether an input of `bucket` has any result on a compiler but an `allowed` bucket."""
        ...


@dataclass(frozen=True)
class Merge:
    """A bucket to merge into another one, and the evidence in words."""

    bucket: str
    into: str
    reason: str


def find_merges(
    buckets: Mapping[str, Bucket],
    stored: Mapping[str, StoredReproducer],
    names: Mapping[int, str],
    evidence: MergeEvidence,
) -> list[Merge]:
    """New merges to make. `names` maps compiler numbers to names."""
    merges: list[Merge] = []
    current = dict(buckets)
    minimal = sorted(name for name, one in stored.items() if one.minimal and name in buckets)
    for number, first in enumerate(minimal):
        for second in minimal[number + 1 :]:
            roots = root_of(first, current), root_of(second, current)
            if roots[0] == roots[1]:
                continue
            reason = _reason(current[first], current[second], stored, names, evidence)
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
    stored: Mapping[str, StoredReproducer],
    names: Mapping[int, str],
    evidence: MergeEvidence,
) -> str | None:
    """Why two buckets are one bug; None if they are not."""
    this, other = stored[first.bucket], stored[second.bucket]
    if this.compiler == other.compiler:
        return None
    there = evidence.bucket_on(this, other.compiler)
    back = evidence.bucket_on(other, this.compiler)
    how = _how_alike(first, second)
    if (there, back) == (second.bucket, first.bucket):
        if fingerprint(this.text) == fingerprint(other.text):
            alike = "the reproducers are the same program"
        elif how is not None:
            alike = f"the failures match, except: {how}"
        else:
            return None
    elif there == back and there in (first.bucket, second.bucket) and how is not None:
        alike = f"the failures match, except: {how}"
    elif (
        (there, back) in ((second.bucket, None), (None, first.bucket))
        and how is not None
        and fingerprint_but_for_sizes(this.text) == fingerprint_but_for_sizes(other.text)
        and _in_pass_alike(first.signature, second.signature)
    ):
        alike = f"the reproducers differ in sizes only, and the failures match, except: {how}"
    else:
        return None
    both = {first.bucket, second.bucket}
    if evidence.contradicts(first.bucket, other.compiler, both):
        return None
    if evidence.contradicts(second.bucket, this.compiler, both):
        return None
    return (
        f"{alike}; the reproducer of {first.bucket} {_ends(there)} on {names[other.compiler]}, "
        f"and the one of {second.bucket} {_ends(back)} on {names[this.compiler]}"
    )


def _ends(bucket: str | None) -> str:
    return f"fails as {bucket}" if bucket is not None else "shows no failure"


def _how_alike(first: Bucket, second: Bucket) -> str | None:
    """The tolerated difference between two signatures in either direction; None if it is larger."""
    one, other = first.signature, second.signature
    found = (difference(one, other, Across.BUILDS), difference(other, one, Across.BUILDS))
    return next((how for how in found if how is not None), None)


_WORD_IN_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def _in_pass_alike(this: Signature, other: Signature) -> bool:
    """Whether the passes of two hangs may be one that was renamed; other failures always match.

    A release that makes several passes of one, or that makes a pass more general, adds words to its
    name or drops some: `EmulateNarrowTypePass`, `AMDGPUEmulateNarrowTypePass`.
    """
    if not this.kind.traits.costly:
        return True
    words, others = (set(_WORD_IN_NAME.findall(each.pass_name)) for each in (this, other))
    shared = words & others - {"Pass"}
    return bool(shared) and shared | {"Pass"} >= min(words, others, key=len)


def merge(
    database: Database, stored: Mapping[str, StoredReproducer], evidence: MergeEvidence
) -> list[Merge]:
    """Find merges and store them, in one transaction."""
    names = database.pairs("SELECT compiler, name FROM compilers")
    with database.transaction():
        merges = find_merges(all_buckets(database), stored, names, evidence)
        for one in merges:
            database.write(
                "UPDATE buckets SET merged_into = ?, reason = ? WHERE bucket = ?",
                one.into, one.reason, one.bucket,
            )  # fmt: skip
    return merges
