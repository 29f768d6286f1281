"""Parts bugs that print the same.

A message may name what is not at fault: a constant, say, that belongs to an op without a lowering.
Then every such op ends in one bucket. But the minimal reproducer of a bucket must explain all of
it. An input in which its ops do not occur is split off, together with all that its own reproducer
explains, and reduced. Two reproducers of one signature are two bugs if

1. both are minimal, so that they hold nothing but what the failure takes;
2. they have no op in common, constants and terminators aside; and
3. the pass that fails gets the ops of both as they are.

Else the split-off is merged again: where ops become something else before the pass that fails, that
may be the same thing for both, as a sort and a top-k become one. A stack or an assertion names a
place in the compiler, and then nothing is split off.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from reducer.errors import ReducerError
from reducer.triage.buckets import Bucket, Occurrence, all_buckets, cheapest_first, occurrences
from reducer.triage.comparing import ReproducerAnalysis, may_contain_ops
from reducer.triage.database import Store
from reducer.triage.inputs import Input
from reducer.triage.representatives import BucketReducer
from reducer.triage.reproducers import StoredReproducer, reproducers
from reducer.triage.running import Watcher

_PENDING = "it is still to be reduced"


@dataclass(frozen=True)
class _SplitGroup:
    """A signature's bucket, and what was split off from it, in that order."""

    root: Bucket
    split_offs: tuple[Bucket, ...]


class BucketSplitter:
    """Splits buckets. Bounds and costs of what it asks compilers are those of its `grounds`."""

    def __init__(
        self, store: Store, analysis: ReproducerAnalysis, stop: threading.Event, watcher: Watcher
    ) -> None:
        self._store = store
        self._database = store.database
        self._analysis = analysis
        self._stop = stop
        self._watcher = watcher

    def run(self, inputs: Mapping[str, Input], bucket_reducer: BucketReducer) -> None:
        """Splits off what is not explained, until all is, and judges."""
        before: frozenset[str] = frozenset()
        while not self._stop.is_set():
            waiting = self._split_off(inputs)
            self._judge()
            if waiting <= before:  # nothing new, or it cannot be reduced
                break
            bucket_reducer.run(inputs)
            before |= waiting

    def sort(self, inputs: Mapping[str, Input]) -> None:
        """Puts new failures into the buckets that explain them. Nothing is run."""
        known = reproducers(self._database)
        for group in self._groups():
            if group.split_offs:
                for one in self._unexplained(group, known, inputs):
                    self._move_to_its_own(group, known, one.input, inputs)

    def sort_reproducers(self) -> None:
        """Does the same with what reproducers were seen to do on other compilers."""
        known = reproducers(self._database)
        for group in self._groups():
            ops = self._analysis.ops(known.get(group.root.bucket))
            for one in known.values() if group.split_offs and ops else ():
                data = one.text.encode(errors="surrogateescape")
                if one.bucket == group.root.bucket or not data or may_contain_ops(data, ops):
                    continue
                for split_off in group.split_offs:
                    theirs = self._analysis.ops(known.get(split_off.bucket))
                    if theirs and may_contain_ops(data, theirs):
                        self._move(group.root, split_off.bucket, one.digest)
                        break

    # ---- splitting -------------------------------------------------------------------------

    def _split_off(self, inputs: Mapping[str, Input]) -> frozenset[str]:
        """Splits off one input of each bucket that has one; all that are still to be reduced."""
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
        self, group: _SplitGroup, known: Mapping[str, StoredReproducer], inputs: Mapping[str, Input]
    ) -> str | None:
        """The cheapest input that no reproducer explains, where that may be another bug."""
        found = self._unexplained(group, known, inputs)
        return (
            found[0].input
            if found and self._analysis.reaches_failing_pass(known[group.root.bucket])
            else None
        )

    def _unexplained(
        self, group: _SplitGroup, known: Mapping[str, StoredReproducer], inputs: Mapping[str, Input]
    ) -> list[Occurrence]:
        """Failures in a bucket whose reproducer does not explain them, the cheapest first."""
        root = known.get(group.root.bucket)
        if root is None or not root.minimal or self._analysis.reached(root) is False:
            return []
        others = [
            one
            for one in occurrences(self._database, [group.root.bucket])
            if one.input in inputs and one.input != root.input
        ]
        ops = self._analysis.ops(root) if others else frozenset()
        return [one for one in cheapest_first(others) if ops and self._lacks(inputs, one, ops)]

    def _lacks(self, inputs: Mapping[str, Input], one: Occurrence, ops: frozenset[str]) -> bool:
        try:
            return not may_contain_ops(inputs[one.input].data(), ops)
        except ReducerError as error:
            self._watcher.message(f"{one.bucket}: {error}")
            return False

    def _move_to_its_own(
        self,
        group: _SplitGroup,
        known: Mapping[str, StoredReproducer],
        digest: str,
        inputs: Mapping[str, Input],
    ) -> None:
        data = inputs[digest].data()
        for split_off in group.split_offs:
            ops = self._analysis.ops(known.get(split_off.bucket))
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

    # ---- judging ---------------------------------------------------------------------------

    def _judge(self) -> None:
        """Decides of each split-off whether it is a bug of its own."""
        known = reproducers(self._database)
        for group in self._groups():
            apart = [group.root]
            names = {group.root.bucket, *(one.bucket for one in group.split_offs)}
            for one in group.split_offs:
                if one.merged_into is not None and one.merged_into not in names:
                    continue  # with a bucket of another compiler, which took more to find out
                into, reason = self._first_same_bug(one, apart, known)
                if into is None:
                    apart.append(one)
                self._decide(one, into, reason)
            for one in apart if len(apart) > 1 else ():
                self._tell_apart(one, known)

    def _first_same_bug(
        self, one: Bucket, others: list[Bucket], known: Mapping[str, StoredReproducer]
    ) -> tuple[str | None, str | None]:
        """The first of some buckets that it cannot be parted from, and why not."""
        for other in others:
            reason = self._why_same_bug(known.get(one.bucket), known.get(other.bucket))
            if reason is not None:
                return other.bucket, reason
        return None, None

    def _why_same_bug(
        self, one: StoredReproducer | None, other: StoredReproducer | None
    ) -> str | None:
        if one is None:
            return _PENDING
        if other is None or not one.minimal or not other.minimal:
            return "the reproducers are not minimal, so that they prove nothing"
        ops, others = self._analysis.ops(one), self._analysis.ops(other)
        if common := sorted(ops & others):
            return f"both reproducers have {', '.join(common)}"
        if (
            not ops
            or not others
            or not self._analysis.reaches_failing_pass(one)
            or not self._analysis.reaches_failing_pass(other)
        ):
            return "what the pass that fails gets of the two may be the same"
        return None

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
        """Buckets of which only words are known, by name."""
        buckets = all_buckets(self._database)
        split_offs: dict[str, list[Bucket]] = {}
        for one in sorted(buckets.values(), key=lambda one: (one.run, one.bucket)):
            if one.split_from is not None:
                split_offs.setdefault(one.split_from, []).append(one)
        for one in buckets.values():
            traits = one.signature.kind.traits
            named = one.signature.frames or traits.condition or traits.costly
            if one.split_from is None and not named:
                yield _SplitGroup(one, tuple(split_offs.get(one.bucket, ())))


def _minimal(known: Mapping[str, StoredReproducer], one: Bucket) -> bool:
    return one.bucket in known and known[one.bucket].minimal
