"""Buckets of two releases become one bug if each reproducer fails like the other there."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from oracles import Kind, Signature
from oracles.signature.outcome import pass_stage
from reducer.triage.buckets import all_groups
from reducer.triage.configurations import EVERYTHING
from reducer.triage.merging import RecordedEvidence, merge
from reducer.triage.reproducers import StoredReproducer, reproducers
from reducer.triage.run_matrix import RunMatrix
from tests.support.triages import SUCCESS, Records, failure, release

BUG, OTHER, THIRD = failure("bug"), failure("other"), failure("third")
OLD, NEW = "3.8.0", "3.13.0"


class Bench:
    """Results of inputs on two compilers and others, without flags."""

    def __init__(self, folder: Path, *others: str) -> None:
        self.records = Records(folder)
        self.records.result("a", OLD, BUG)
        compilers = (release(OLD), release(NEW), *map(release, others))
        self.new = self.records.store.compiler(compilers[1])
        matrix = RunMatrix(compilers, EVERYTHING, (), "/", lambda flags, compiler: flags)
        self.evidence = RecordedEvidence(self.records.store, matrix)

    def contradicts(self) -> bool:
        return self.evidence.contradicts(BUG.bucket, self.new, {BUG.bucket, OTHER.bucket})


def test_a_reproducer_on_another_compiler(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    digest = bench.records.reproducer(BUG.bucket, "a", OLD, "text")
    known = reproducers(bench.records.database)[BUG.bucket]
    assert bench.evidence.bucket_on(known, bench.new) is None
    bench.records.result(digest, NEW, OTHER, file=False)
    assert bench.evidence.bucket_on(known, bench.new) == OTHER.bucket
    assert bench.evidence.bucket_on(known, 99) is None  # not a compiler of this run


@pytest.mark.parametrize(
    ("signature", "contradicts"),
    [
        (BUG, False),
        (OTHER, False),
        (THIRD, True),
        (SUCCESS, True),
        (Signature(Kind.INVALID_INPUT), False),
        (Signature(Kind.TIMEOUT), False),
    ],
)
def test_an_input_contradicts_unless_it_fails_alike(
    tmp_path: Path, signature: Signature, contradicts: bool
) -> None:
    bench = Bench(tmp_path)
    assert not bench.contradicts()  # it was never run there
    bench.records.result("a", NEW, signature)
    assert bench.contradicts() is contradicts


@pytest.mark.parametrize(
    ("signature", "contradicts"), [(BUG, False), (OTHER, False), (THIRD, True), (SUCCESS, True)]
)
def test_compilers_in_between_contradict_as_well(
    tmp_path: Path, signature: Signature, contradicts: bool
) -> None:
    bench = Bench(tmp_path, "3.11.0")
    bench.records.result("a", NEW, OTHER)
    bench.records.result("a", "3.3.0", SUCCESS)  # it is older than both
    bench.records.result("a", "3.11.0", signature)
    assert bench.contradicts() is contradicts


def test_results_with_other_flags_are_ignored(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.records.result("a", NEW, THIRD, "--x")
    assert not bench.contradicts()


PROGRAM = "func.func @main() {\n  return\n}\n"


class Pair:
    """Two buckets, one of each compiler, with a reproducer each."""

    def __init__(
        self, folder: Path, texts: tuple[str, str], signatures: tuple[Signature, ...]
    ) -> None:
        self.records = Records(folder)
        self.signatures = signatures
        self.compilers = []
        for digest, version, text, signature in zip(
            "ab", (OLD, NEW), texts, signatures, strict=True
        ):
            self.records.result(digest, version, signature)
            self.records.reproducer(signature.bucket, digest, version, text)
            name = self.records.database.value(
                "SELECT compiler FROM compilers WHERE version = ?", version
            )
            self.compilers.append(name)

    def merged(
        self,
        bucket_on: tuple[int | None, int | None],
        dissenter: int | None = None,
        **changes: object,
    ) -> list[set[str]]:
        """The bugs, if each reproducer fails with that signature on the other compiler.

        An input of the bucket `dissenter` contradicts the merge.
        """
        known = {
            name: replace(one, **changes)  # type: ignore[arg-type]
            for name, one in reproducers(self.records.database).items()
        }
        names = [signature.bucket for signature in self.signatures]
        merge(self.records.database, known, Told(names, bucket_on, dissenter))
        return [set(group.names) for group in all_groups(self.records.database)]


@dataclass
class Told:
    """Evidence defined by the test."""

    names: list[str]
    fails_like: tuple[int | None, int | None]
    dissenter: int | None

    def bucket_on(self, known: StoredReproducer, compiler: int) -> str | None:
        index = self.fails_like[self.names.index(known.bucket)]
        return None if index is None else self.names[index]

    def contradicts(self, bucket: str, compiler: int, allowed: Collection[str]) -> bool:
        assert set(allowed) == set(self.names)
        return self.names.index(bucket) == self.dissenter


CRASH = failure("SIGSEGV", Kind.CRASH, frames=("f", "g"))
ERROR = failure("unsupported type", op="hal.x")


def test_the_same_program_that_fails_like_the_other_is_one_bug(tmp_path: Path) -> None:
    pair = Pair(tmp_path, (PROGRAM, PROGRAM.replace("@main", "@f")), (CRASH, ERROR))
    assert pair.merged((1, 0)) == [{CRASH.bucket, ERROR.bucket}]
    (group,) = all_groups(pair.records.database)
    (reason,) = [member.reason for member in group.members if member.merged_into]
    assert reason is not None
    assert "the same program" in reason
    assert OLD in reason and NEW in reason


# A matmul on i4 hangs 3.3.0 for more sizes than 3.8.0, in a pass that has another name there.
VECMAT = """\
func.func @main(%a: tensor<?xi4>, %b: tensor<80x?xi4>, %c: tensor<?xi32>) -> tensor<?xi32> {
  %0 = linalg.vecmat ins(%a, %b : tensor<?xi4>, tensor<80x?xi4>) outs(%c : tensor<?xi32>) \
-> tensor<?xi32>
  return %0 : tensor<?xi32>
}
"""
SMALLER = VECMAT.replace("80x", "?x")


def _hang(name: str) -> Signature:
    return failure("", Kind.TIMEOUT, stage=pass_stage(name))


def _hangs(*names: str) -> tuple[Signature, ...]:
    return tuple(failure("", Kind.TIMEOUT, stage=pass_stage(f"{name}Pass")) for name in names)


ONE, NARROW = (PROGRAM, PROGRAM), (VECMAT, SMALLER)
TWO = PROGRAM, PROGRAM.replace("return", '"x.y"() : () -> ()\n  return')
SIZES = tuple(PROGRAM.replace("()", f"(%a: tensor<{size}xi8>)") for size in "4?")
KINDS = CRASH, ERROR
STACKS = CRASH, failure("SIGSEGV", Kind.CRASH, frames=("f", "g", "h"))
PASSES = _hangs("EmulateNarrowType", "AMDGPUEmulateNarrowType")


@pytest.mark.parametrize(
    ("texts", "signatures", "bucket_on", "bugs"),
    [
        # Both cross runs must agree.
        (ONE, KINDS, (1, 0), 1),
        *((ONE, KINDS, on, 2) for on in ((None, None), (1, None), (None, 0), (0, 0), (1, 1))),
        # Different programs need similar signatures,
        (TWO, KINDS, (1, 0), 2),
        (TWO, STACKS, (1, 0), 1),
        # and similar failures may share one.
        (TWO, STACKS, (0, 0), 1),
        (TWO, STACKS, (1, 1), 1),
        (TWO, STACKS, (0, 1), 2),
        (TWO, STACKS, (0, None), 2),
        # A release may fail for more sizes, but what does must fail alike,
        (NARROW, PASSES, (None, 0), 1),
        (NARROW[::-1], PASSES[::-1], (1, None), 1),
        (SIZES, STACKS, (None, 0), 1),
        (SIZES, KINDS, (None, 0), 2),
        # and one of the reproducers must show both,
        (NARROW, PASSES, (None, 1), 2),
        # of the same program: the other sizes may be healthy for a reason of their own,
        ((VECMAT.replace("i4", "i2"), SMALLER), PASSES, (None, 0), 2),
        # in passes that have more than a common word in common.
        (NARROW, _hangs("EmulateNarrowType", "Canonicalizer"), (None, 0), 2),
        (NARROW, _hangs("EmulateNarrowType", "LowerNarrowType"), (None, 0), 2),
    ],
)
def test_what_is_one_bug(
    tmp_path: Path,
    texts: tuple[str, str],
    signatures: tuple[Signature, ...],
    bucket_on: tuple[int | None, int | None],
    bugs: int,
) -> None:
    assert len(Pair(tmp_path, texts, signatures).merged(bucket_on)) == bugs


@pytest.mark.parametrize(
    ("texts", "signatures", "bucket_on"), [(ONE, KINDS, (1, 0)), (SIZES, STACKS, (None, 0))]
)
def test_what_speaks_against_it(
    tmp_path: Path,
    texts: tuple[str, str],
    signatures: tuple[Signature, ...],
    bucket_on: tuple[int | None, int | None],
) -> None:
    """An input, a reproducer that is not minimal, and a compiler that is the same."""
    pair = Pair(tmp_path, texts, signatures)
    assert len(pair.merged(bucket_on, dissenter=1)) == 2
    assert len(pair.merged(bucket_on, one_minimal=False)) == 2
    assert len(pair.merged(bucket_on, compiler=pair.compilers[0])) == 2
    if bucket_on == (1, 0):
        assert len(pair.merged(bucket_on, dissenter=0)) == 2
        return
    assert len(pair.merged(bucket_on)) == 1
    (group,) = all_groups(pair.records.database)
    reasons = [member.reason for member in group.members if member.reason]
    assert "sizes" in reasons[0] and "shows no failure on 3.13.0" in reasons[0]


def test_the_older_bucket_stands_for_both(tmp_path: Path) -> None:
    pair = Pair(tmp_path, (PROGRAM, PROGRAM), (CRASH, ERROR))
    pair.records.database.write("UPDATE buckets SET run = 2 WHERE bucket = ?", CRASH.bucket)
    pair.merged((1, 0))
    (group,) = all_groups(pair.records.database)
    assert group.root.bucket == ERROR.bucket
