from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from oracles import Kind, Signature
from oracles.outcome import pass_stage
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
OLD_MERGING, NEW_MERGING = "3.8.0", "3.13.0"


class Pair:
    """Two buckets, one of each compiler, with a reproducer each."""

    def __init__(
        self, folder: Path, texts: tuple[str, str], signatures: tuple[Signature, ...]
    ) -> None:
        self.records = Records(folder)
        self.signatures = signatures
        self.compilers = []
        for digest, version, text, signature in zip(
            "ab", (OLD_MERGING, NEW_MERGING), texts, signatures, strict=True
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
    assert OLD_MERGING in reason and NEW_MERGING in reason


@pytest.mark.parametrize("bucket_on", [(None, None), (1, None), (None, 0), (0, 0), (1, 1)])
def test_both_cross_runs_must_agree(
    tmp_path: Path, bucket_on: tuple[int | None, int | None]
) -> None:
    pair = Pair(tmp_path, (PROGRAM, PROGRAM), (CRASH, ERROR))
    assert len(pair.merged(bucket_on)) == 2


def test_reproducers_must_be_minimal(tmp_path: Path) -> None:
    pair = Pair(tmp_path, (PROGRAM, PROGRAM), (CRASH, ERROR))
    assert len(pair.merged((1, 0), one_minimal=False)) == 2


def test_different_programs_need_similar_signatures(tmp_path: Path) -> None:
    other = PROGRAM.replace("return", '"x.y"() : () -> ()\n  return')
    stacks = CRASH, failure("SIGSEGV", Kind.CRASH, frames=("f", "g", "h"))
    assert len(Pair(tmp_path / "a", (PROGRAM, other), (CRASH, ERROR)).merged((1, 0))) == 2
    assert len(Pair(tmp_path / "b", (PROGRAM, other), stacks).merged((1, 0))) == 1


@pytest.mark.parametrize(
    ("bucket_on", "bugs"), [((0, 0), 1), ((1, 1), 1), ((0, 1), 2), ((0, None), 2)]
)
def test_similar_failures_may_share_one_signature(
    tmp_path: Path, bucket_on: tuple[int | None, int | None], bugs: int
) -> None:
    stacks = CRASH, failure("SIGSEGV", Kind.CRASH, frames=("f", "g", "h"))
    other = PROGRAM.replace("return", '"x.y"() : () -> ()\n  return')
    assert len(Pair(tmp_path, (PROGRAM, other), stacks).merged(bucket_on)) == bugs


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


@pytest.mark.parametrize(
    ("passes", "texts", "bucket_on", "bugs"),
    [
        (("EmulateNarrowTypePass", "AMDGPUEmulateNarrowTypePass"), (VECMAT, SMALLER), (None, 0), 1),
        (("AMDGPUEmulateNarrowTypePass", "EmulateNarrowTypePass"), (SMALLER, VECMAT), (1, None), 1),
        # Neither reproducer shows both.
        (("EmulateNarrowTypePass", "AMDGPUEmulateNarrowTypePass"), (VECMAT, SMALLER), (None, 1), 2),
        # Another program, whose other sizes are healthy for a reason of their own.
        (
            ("EmulateNarrowTypePass", "AMDGPUEmulateNarrowTypePass"),
            (VECMAT.replace("i4", "i2"), SMALLER),
            (None, 0),
            2,
        ),
        # Passes that have nothing or only a common word in common.
        (("EmulateNarrowTypePass", "CanonicalizerPass"), (VECMAT, SMALLER), (None, 0), 2),
        (("EmulateNarrowTypePass", "LowerNarrowTypePass"), (VECMAT, SMALLER), (None, 0), 2),
    ],
)
def test_a_release_may_fail_for_more_sizes(
    tmp_path: Path,
    passes: tuple[str, str],
    texts: tuple[str, str],
    bucket_on: tuple[int | None, int | None],
    bugs: int,
) -> None:
    pair = Pair(tmp_path, texts, tuple(map(_hang, passes)))
    assert len(pair.merged(bucket_on)) == bugs


def test_what_fails_for_more_sizes_must_fail_alike_and_no_input_may_contradict(
    tmp_path: Path,
) -> None:
    other = PROGRAM.replace("()", "(%a: tensor<4xi8>)")
    texts = other, other.replace("4x", "?x")
    assert len(Pair(tmp_path / "a", texts, (CRASH, ERROR)).merged((None, 0))) == 2
    stacks = CRASH, failure("SIGSEGV", Kind.CRASH, frames=("f", "g", "h"))
    assert len(Pair(tmp_path / "b", texts, stacks).merged((None, 0), dissenter=1)) == 2
    pair = Pair(tmp_path / "c", texts, stacks)
    assert len(pair.merged((None, 0))) == 1
    (group,) = all_groups(pair.records.database)
    reasons = [member.reason for member in group.members if member.reason]
    assert "sizes" in reasons[0] and "shows no failure on 3.13.0" in reasons[0]


@pytest.mark.parametrize("dissenter", [0, 1])
def test_an_input_may_contradict_the_merge(tmp_path: Path, dissenter: int) -> None:
    pair = Pair(tmp_path, (PROGRAM, PROGRAM), (CRASH, ERROR))
    assert len(pair.merged((1, 0), dissenter)) == 2


def test_buckets_of_one_compiler_are_never_merged(tmp_path: Path) -> None:
    pair = Pair(tmp_path, (PROGRAM, PROGRAM), (CRASH, ERROR))
    assert len(pair.merged((1, 0), compiler=pair.compilers[0])) == 2


def test_the_older_bucket_stands_for_both(tmp_path: Path) -> None:
    pair = Pair(tmp_path, (PROGRAM, PROGRAM), (CRASH, ERROR))
    pair.records.database.write("UPDATE buckets SET run = 2 WHERE bucket = ?", CRASH.bucket)
    pair.merged((1, 0))
    (group,) = all_groups(pair.records.database)
    assert group.root.bucket == ERROR.bucket
