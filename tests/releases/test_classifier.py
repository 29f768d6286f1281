"""Recognize the same failure in the words of another release."""

from dataclasses import replace
from itertools import combinations

import pytest

from oracles import Kind, Level, Signature
from reducer.releases.classifier import tolerated_difference
from tests.support.recorded import Recording, recordings

RANK = Signature(
    Kind.VERIFIER,
    "'linalg.x' op expected operand #N rank (N) to match the result rank of indexing_map (N)",
    "linalg.x",
    "input",
)
CRASH = Signature(Kind.CRASH, "SIGSEGV", frames=("inner", "middle", "outer"))


def test_equal_signatures_are_the_same_failure() -> None:
    assert tolerated_difference(RANK, RANK) == ""
    assert tolerated_difference(CRASH, CRASH) == ""


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
    ],
)
def test_tolerated_differences(target: Signature, found: Signature, told: str) -> None:
    assert tolerated_difference(target, found) == told


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
        (
            Signature(Kind.OTHER_ERROR, "silent failure (exit 1)", stage="pipeline OnePass"),
            Signature(Kind.OTHER_ERROR, "silent failure (exit 1)", stage="pipeline AnotherPass"),
        ),
    ],
)
def test_different_failures(target: Signature, found: Signature) -> None:
    assert tolerated_difference(target, found) is None


def test_texts_that_real_compilers_printed() -> None:
    """Texts of one bug match; texts of two bugs only match if no text can distinguish them."""
    texts = [(each, each.signature(Level.NORMAL)) for each in recordings()]
    wrong = []
    for (one, first), (other, second) in combinations(texts, 2):
        alike = (
            tolerated_difference(first, second) is not None
            or tolerated_difference(second, first) is not None
        )
        if alike != (one.group == other.group) and not _beyond_text(one, other, alike):
            wrong.append((one.file, other.file))
    assert wrong == []


def _beyond_text(one: Recording, other: Recording, alike: bool) -> bool:
    if alike:
        return other.group == one.same_text_as or one.group == other.same_text_as
    return one.asked != other.asked
