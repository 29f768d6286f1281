"""Split buckets whose signature covers more than one bug.

A message may name an op that is not at fault, such as a constant that feeds an op without a
lowering; then all such ops end up in one bucket. But the minimal reproducer of a bucket must
explain all of its inputs. An input that lacks the reproducer's ops is split off, together with all
inputs that its own reproducer explains, and reduced. Two reproducers of one signature are different
bugs if

1. both are minimal, so that they contain only what the failure needs;
2. they have no op in common, except constants and terminators; and
3. the failing pass receives the ops of both unchanged, or the input of one compiles with the
   compiler with which the other fails.

Otherwise the split-off bucket is merged back: earlier passes may convert the ops of both to the
same op, as they do with a sort and a top-k. But what was fixed (or broken) in another release is
another bug, whatever the failing pass gets. Signatures with a stack or an assertion name a place in
the compiler, so their buckets are never split.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from reducer.errors import ReducerError
from reducer.triage.buckets import (
    Bucket,
    Occurrence,
    all_buckets,
    cheapest_first,
    compiles_on,
    occurrences,
)
from reducer.triage.comparing import ReproducerAnalysis, may_contain_ops
from reducer.triage.inputs import Input
from reducer.triage.representatives import BucketReducer
from reducer.triage.reproducers import StoredReproducer, reproducers
from reducer.triage.running import Watcher
from reducer.triage.store import Store

_PENDING = "not reduced yet"

_Failing = Occurrence | StoredReproducer
"""Either has an input, and a compiler with which it fails."""


@dataclass(frozen=True)
class _SplitGroup:
    """A signature's own bucket and the buckets split off from it, oldest first."""

    root: Bucket
    split_offs: tuple[Bucket, ...]


class BucketSplitter:
    """Splits buckets. Limits and costs of its compiler runs are those of `analysis`."""

    def __init__(
        self, store: Store, analysis: ReproducerAnalysis, stop: threading.Event, watcher: Watcher
    ) -> None:
        self._store = store
        self._database = store.database
        self._analysis = analysis
        self._stop = stop
        self._watcher = watcher

    def run(self, inputs: Mapping[str, Input], bucket_reducer: BucketReducer) -> None:
        """Split off unexplained inputs and reduce them, until reproducers explain all inputs."""
        before: frozenset[str] = frozenset()
        while not self._stop.is_set():
            waiting = self._split_off(inputs)
            self._judge()
            if waiting <= before:  # nothing new, or what is left cannot be reduced
                break
            bucket_reducer.run(inputs)
            before |= waiting

    def sort(self, inputs: Mapping[str, Input]) -> None:
        """Move new failures to the split-off buckets that explain them. Runs nothing."""
        known = reproducers(self._database)
        for group in self._groups():
            if group.split_offs:
                for one in self._unexplained(group, known, inputs):
                    self._move_to_its_own(group, known, one.input, inputs)

    def sort_reproducers(self) -> None:
        """Likewise for the failures of reproducers on other compilers."""
        stored = reproducers(self._database)
        for group in self._groups():
            ops = self._analysis.ops(stored.get(group.root.bucket))
            for reproducer in stored.values() if group.split_offs and ops else ():
                data = reproducer.text.encode(errors="surrogateescape")
                if reproducer.bucket == group.root.bucket or not data or may_contain_ops(data, ops):
                    continue
                for split_off in group.split_offs:
                    theirs = self._analysis.ops(stored.get(split_off.bucket))
                    if theirs and may_contain_ops(data, theirs):
                        self._move(group.root, split_off.bucket, reproducer.digest)
                        break

    # ---- splitting -------------------------------------------------------------------------

    def _split_off(self, inputs: Mapping[str, Input]) -> frozenset[str]:
        """Split off one input per bucket if needed; return all buckets still to be reduced."""
        self.sort(inputs)
        known = reproducers(self._database)
        waiting = set()
        for group in self._groups():
            unreduced = [one.bucket for one in group.split_offs if one.bucket not in known]
            unexplained = any(not _minimal(known, one) for one in group.split_offs)
            if not unexplained and (found := self._first_unexplained(group, known, inputs)):
                unreduced.append(self._new_split_off(group.root, found))
            waiting.update(unreduced)
        return frozenset(waiting)

    def _first_unexplained(
        self,
        group: _SplitGroup,
        stored: Mapping[str, StoredReproducer],
        inputs: Mapping[str, Input],
    ) -> str | None:
        """The cheapest input that no reproducer explains, if it may be a different bug."""
        unexplained = self._unexplained(group, stored, inputs)
        if not unexplained:
            return None
        root = stored[group.root.bucket]
        if not self._analysis.reaches_failing_pass(root):
            unexplained = [one for one in unexplained if self._other_releases(one, root)]
        return unexplained[0].input if unexplained else None

    def _unexplained(
        self, group: _SplitGroup, known: Mapping[str, StoredReproducer], inputs: Mapping[str, Input]
    ) -> list[Occurrence]:
        """Failures in a bucket that its reproducer does not explain, cheapest first."""
        root = known.get(group.root.bucket)
        if root is None or not root.minimal:
            return []
        others = [
            one
            for one in occurrences(self._database, [group.root.bucket])
            if one.input in inputs and one.input != root.input
        ]
        if self._analysis.reached(root) is False:
            others = [one for one in others if self._other_releases(one, root)]
        ops = self._analysis.ops(root) if others else frozenset()
        return [one for one in cheapest_first(others) if ops and self._lacks(inputs, one, ops)]

    def _other_releases(self, one: _Failing, other: _Failing) -> bool:
        """Whether one of the two inputs compiles with the compiler with which the other fails."""
        return compiles_on(self._database, one.input, other.compiler) or compiles_on(
            self._database, other.input, one.compiler
        )

    def _lacks(self, inputs: Mapping[str, Input], one: Occurrence, ops: frozenset[str]) -> bool:
        try:
            return not may_contain_ops(inputs[one.input].data(), ops)
        except ReducerError as error:
            self._watcher.message(f"{one.bucket}: {error}")
            return False

    def _move_to_its_own(
        self,
        group: _SplitGroup,
        stored: Mapping[str, StoredReproducer],
        digest: str,
        inputs: Mapping[str, Input],
    ) -> None:
        data = inputs[digest].data()
        for split_off in group.split_offs:
            ops = self._analysis.ops(stored.get(split_off.bucket))
            if ops and may_contain_ops(data, ops):
                self._move(group.root, split_off.bucket, digest)
                return

    def _new_split_off(self, root: Bucket, digest: str) -> str:
        name = sha256(f"{root.bucket} {digest}".encode()).hexdigest()[:12]
        with self._database.transaction():
            self._database.write(
                "INSERT OR IGNORE INTO buckets "
                "SELECT ?, kind, signature, text, ?, bucket, ?, bucket, NULL FROM buckets "
                "WHERE bucket = ?", name, self._store.run, _PENDING, root.bucket,
            )  # fmt: skip
            self._move(root, name, digest)
        return name

    def _move(self, root: Bucket, bucket: str, digest: str) -> None:
        self._database.write(
            "UPDATE results SET bucket = ? WHERE bucket = ? AND input = ?",
            bucket, root.bucket, digest,
        )  # fmt: skip

    # ---- deciding --------------------------------------------------------------------------

    def _judge(self) -> None:
        """Decide for each split-off bucket whether it is a separate bug."""
        stored = reproducers(self._database)
        for group in self._groups():
            apart = [group.root]
            names = {group.root.bucket, *(one.bucket for one in group.split_offs)}
            for bucket in group.split_offs:
                if bucket.merged_into is not None and bucket.merged_into not in names:
                    continue  # merged with a bucket of another compiler, on stronger evidence
                into, reason = self._first_same_bug(bucket, apart, stored)
                if into is None:
                    apart.append(bucket)
                self._decide(bucket, into, reason)
            for bucket in apart if len(apart) > 1 else ():
                self._tell_apart(bucket, stored)

    def _first_same_bug(
        self, one: Bucket, others: list[Bucket], known: Mapping[str, StoredReproducer]
    ) -> tuple[str | None, str | None]:
        """The first of `others` that cannot be distinguished from `one`, and why."""
        for other in others:
            reason = self._why_same_bug(known.get(one.bucket), known.get(other.bucket))
            if reason is not None:
                return other.bucket, reason
        return None, None

    def _why_same_bug(
        self, this: StoredReproducer | None, other: StoredReproducer | None
    ) -> str | None:
        if this is None:
            return _PENDING
        if other is None or not this.minimal or not other.minimal:
            return "the reproducers are not 1-minimal, so they prove nothing"
        ops, others = self._analysis.ops(this), self._analysis.ops(other)
        if common := sorted(ops & others):
            return f"both reproducers contain {', '.join(common)}"
        if not ops or not others:
            return "the ops of a reproducer are not known"
        if self._other_releases(this, other):
            return None
        if all(map(self._analysis.reaches_failing_pass, (this, other))):
            return None
        return "the failing pass may get the same IR from both"

    def _decide(self, one: Bucket, into: str | None, reason: str | None) -> None:
        if (one.merged_into, one.reason) != (into, reason):
            self._database.write(
                "UPDATE buckets SET merged_into = ?, reason = ? WHERE bucket = ?",
                into, reason, one.bucket,
            )  # fmt: skip

    def _tell_apart(self, one: Bucket, known: Mapping[str, StoredReproducer]) -> None:
        ops = ", ".join(sorted(self._analysis.ops(known.get(one.bucket))))
        if one.ops != ops:
            query = "UPDATE buckets SET ops = ? WHERE bucket = ?"
            self._database.write(query, ops, one.bucket)

    def _groups(self) -> Iterator[_SplitGroup]:
        """Buckets whose signature is only a message, by name: no stack, assertion or limit."""
        buckets = all_buckets(self._database)
        split_offs: dict[str, list[Bucket]] = {}
        for bucket in sorted(buckets.values(), key=lambda one: (one.run, one.bucket)):
            if bucket.split_from is not None:
                split_offs.setdefault(bucket.split_from, []).append(bucket)
        for bucket in buckets.values():
            traits = bucket.signature.kind.traits
            named = bucket.signature.frames or traits.condition or traits.costly
            if bucket.split_from is None and not named:
                yield _SplitGroup(bucket, tuple(split_offs.get(bucket.bucket, ())))


def _minimal(known: Mapping[str, StoredReproducer], one: Bucket) -> bool:
    return one.bucket in known and known[one.bucket].minimal
