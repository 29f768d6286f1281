"""Compare two failures of one build, of the tools of a build, and of two builds."""

from dataclasses import replace
from itertools import combinations

import pytest

from oracles import Kind, Level, Signature
from oracles.signature.comparison import Across, Landmarks, difference, same_failure
from tests.support.recorded import Recording, recordings

RANK = Signature(
    Kind.VERIFIER,
    "'linalg.x' op expected operand #N rank (N) to match the result rank of indexing_map (N)",
    "linalg.x",
    "input",
)
CRASH = Signature(Kind.CRASH, "SIGSEGV", frames=("inner", "middle", "outer"))
NOWHERE = Signature(
    Kind.CRASH, "SIGSEGV", stage="pipeline OnePass", frames=("a.so+0x10", "b.so+0xabc")
)

OVERLAP = Signature(
    Kind.RUN_FAILURE,
    "INVALID_ARGUMENT: source and target ranges must not overlap",
)
RENAMED = replace(CRASH, frames=("a::get", "Pattern::matchAndRewrite", "foldTransferIndexVecs"))


def _run(template: str) -> Signature:
    return Signature(Kind.RUN_FAILURE, template)


def test_a_release_may_hang_in_a_pass_of_another_name() -> None:
    hang = Signature(Kind.TIMEOUT, stage="pipeline EmulateNarrowTypePass")
    other = replace(hang, stage="pipeline AMDGPUEmulateNarrowTypePass")
    told = difference(hang, other, Across.BUILDS)
    assert told == "in another pass: AMDGPUEmulateNarrowTypePass"
    assert difference(hang, replace(hang, stage=""), Across.BUILDS) == "in another pass: unknown"
    assert difference(hang, replace(hang, kind=Kind.MEMORY), Across.BUILDS) is None
    assert difference(hang, replace(hang, template="killed"), Across.BUILDS) is None
    assert not same_failure(hang, other), "one build always uses one name"


def test_equal_signatures_are_the_same_failure() -> None:
    assert difference(RANK, RANK, Across.BUILDS) == ""
    assert difference(CRASH, CRASH, Across.BUILDS) == ""
    assert same_failure(CRASH, CRASH)


@pytest.mark.parametrize(
    ("target", "found", "told"),
    [
        (
            RANK,
            replace(
                RANK,
                template="'linalg.x' op expected operand rank (N) to match the result rank of "
                "indexing_map #N (N)",
            ),
            "worded differently",
        ),
        (
            replace(RANK, stage="pipeline"),
            replace(RANK, stage="pipeline SomePass"),
            "only one of them names the pass",
        ),
        (
            CRASH,
            replace(CRASH, frames=("new helper", "middle", "outer")),
            "different stack (2 of 3 functions in common)",
        ),
        (
            replace(CRASH, frames=("Pass::runOnOperation",)),
            replace(CRASH, frames=("inlined elsewhere", "Pass::runOnOperation")),
            "different stack (1 of 1 functions in common)",
        ),
        (
            NOWHERE,
            replace(NOWHERE, frames=("a.so+0x20", "b.so+0xabd")),
            "only the failing pass in common",
        ),
        (
            RENAMED,
            replace(RENAMED, frames=(*RENAMED.frames[:2], "foldTransferGatherIndexVecs")),
            "foldTransferIndexVecs is called foldTransferGatherIndexVecs there",
        ),
        (
            OVERLAP,
            replace(OVERLAP, template="INVALID_ARGUMENT: source and target ranges overlap"),
            "worded differently",
        ),
        (
            Signature(Kind.FATAL_ERROR, "ran out of registers", frames=("RAGreedy::select",)),
            Signature(Kind.OTHER_ERROR, "ran out of registers in function '<name>'"),
            "a fatal error in only one of them",
        ),
    ],
)
def test_tolerated_differences(target: Signature, found: Signature, told: str) -> None:
    assert difference(target, found, Across.BUILDS) == told
    assert not same_failure(target, found)


@pytest.mark.parametrize(
    ("target", "found"),
    [
        (RANK, replace(RANK, op="linalg.y")),
        (RANK, replace(RANK, stage="pipeline")),
        (replace(RANK, stage="pipeline OnePass"), replace(RANK, stage="pipeline AnotherPass")),
        (RANK, replace(RANK, kind=Kind.OTHER_ERROR)),
        (RANK, replace(RANK, template="'linalg.x' op expected something else")),
        (RANK, Signature(Kind.SUCCESS)),
        (CRASH, replace(CRASH, template="SIGABRT")),
        (CRASH, replace(CRASH, frames=("inner", "middle", "another pass"))),
        (CRASH, replace(CRASH, frames=("elsewhere",))),
        (CRASH, replace(CRASH, frames=())),
        (CRASH, NOWHERE),
        (NOWHERE, CRASH),
        (NOWHERE, replace(NOWHERE, stage="pipeline AnotherPass", frames=("a.so+0x20",))),
        (replace(NOWHERE, stage=""), replace(NOWHERE, stage="", frames=("a.so+0x20",))),
        (RENAMED, replace(RENAMED, frames=(*RENAMED.frames[:2], "unfoldTransferIndexVecs"))),
        (RENAMED, replace(RENAMED, frames=(*RENAMED.frames[:2], "foldGatherVecs"))),
        (RENAMED, replace(RENAMED, frames=(*RENAMED.frames[:2], "b::foldTransferIndexVecsToo"))),
        (RENAMED, replace(RENAMED, frames=("b::get", RENAMED.frames[1], "foldTransferVecs"))),
        (RENAMED, replace(RENAMED, frames=("foldTransferVecs",))),
        (
            replace(CRASH, frames=("inner", "lowerBatchMatmulOp")),
            replace(CRASH, frames=("inner", "lowerMatmulOp")),
        ),
        (
            Signature(Kind.INVALID_INPUT, "expected '('", stage="input"),
            Signature(Kind.INVALID_INPUT, "expected '{'", stage="input"),
        ),
        (OVERLAP, _run("ABORTED: source and target ranges overlap")),
        (OVERLAP, _run("INVALID_ARGUMENT: source and target ranges overlap x")),
        (OVERLAP, _run("INVALID_ARGUMENT: source, target ranges must overlap")),
        (OVERLAP, _run("INVALID_ARGUMENT")),
        (
            Signature(Kind.FATAL_ERROR, "ran out of registers"),
            Signature(Kind.INVALID_INPUT, "ran out of registers", stage="input"),
        ),
        (
            Signature(Kind.FATAL_ERROR, "ran out of registers", "a.b"),
            Signature(Kind.OTHER_ERROR, "ran out of registers", "a.c"),
        ),
        (
            Signature(Kind.OTHER_ERROR, "silent failure (exit 1)", stage="pipeline OnePass"),
            Signature(Kind.OTHER_ERROR, "silent failure (exit 1)", stage="pipeline AnotherPass"),
        ),
    ],
)
def test_different_failures(target: Signature, found: Signature) -> None:
    assert difference(target, found, Across.BUILDS) is None


def test_texts_that_real_compilers_printed() -> None:
    """Texts of one bug match; texts of two bugs only match if no text can distinguish them."""
    texts = [(each, each.signature(Level.NORMAL)) for each in recordings()]
    wrong = []
    for (one, first), (other, second) in combinations(texts, 2):
        alike = same_failure(first, second, Across.BUILDS) or same_failure(
            second, first, Across.BUILDS
        )
        if alike != (one.group == other.group) and not _beyond_text(one, other, alike):
            wrong.append((one.file, other.file))
    assert wrong == []


def _beyond_text(one: Recording, other: Recording, alike: bool) -> bool:
    if alike:
        return other.group == one.same_text_as or one.group == other.same_text_as
    return one.asked != other.asked


def test_offsets_decide_within_a_build() -> None:
    assert not same_failure(NOWHERE, replace(NOWHERE, frames=("a.so+0x20", "b.so+0xabc")))
    assert Landmarks.of(NOWHERE.frames) is None


def test_one_level_down() -> None:
    """The tool that runs one pass alone has other offsets, and another stage."""

    def alike(target: Signature, found: Signature) -> bool:
        return same_failure(target, found, Across.TOOLS)

    seen = Signature(Kind.VERIFIER, "'a.b' op is bad", "a.b", "input")
    assert alike(Signature(Kind.VERIFIER, "'a.b' op is bad", "a.b", "pipeline"), seen)
    assert not alike(Signature(Kind.VERIFIER, "'a.c' op is bad", "a.c", "pipeline"), seen)
    silent = Signature(Kind.OTHER_ERROR, "silent failure (exit 1)", "", "pipeline PadPass")
    failed = "failed to run translation of source executable"
    assert alike(Signature(Kind.OTHER_ERROR, failed, "", "pipeline PadPass"), silent)
    named = Signature(Kind.VERIFIER, "'a.b' op is bad", "a.b", "pipeline PadPass")
    assert not alike(named, silent)
    assert alike(named, seen)
    assert not alike(Signature(Kind.OTHER_ERROR, "…", "", "pipeline TilePass"), silent)
    assert alike(CRASH, replace(CRASH, stage="input"))
    assert not alike(CRASH, replace(CRASH, frames=("g", "middle", "outer")))
    assert alike(NOWHERE, replace(NOWHERE, frames=("tool+0x20",)))
