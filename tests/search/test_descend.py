"""Descents: how far each parameter is lowered, and at what cost."""

import re
from collections.abc import Callable, Sequence

import pytest

from oracles import Kind, Outcome, Signature
from reducer.ir import Module
from reducer.search.conditions import Verifier
from reducer.search.judge import Judge
from reducer.search.schedule import FailedValues
from reducer.search.state import SearchState
from reducer.transformations.ranks import DropDims
from reducer.transformations.sizes import ShrinkSizes
from tests.support.predicate import FAILED, FAILURE, PASSED, Memory, PredicateOracle
from tests.support.searching import descend, state_of
from tests.support.sides import function

TEXT = function(
    """\
%0 = "t.mm"(%a, %b) : (tensor<300x?xf32>, tensor<?x64xf32>) -> tensor<300x64xf32>
"func.return"(%0) : (tensor<300x64xf32>) -> ()""",
    arguments="%a: tensor<300x?xf32>, %b: tensor<?x64xf32>",
    results="tensor<300x64xf32>",
)


def sizes(text: str) -> tuple[int | None, ...]:
    """M, K and N."""
    match = re.search(r"\(tensor<(\d+)x(\d+|\?)xf32>, tensor<[\d?]+x(\d+)xf32>\) ->", text)
    assert match is not None
    return tuple(None if size == "?" else int(size) for size in match.groups())


def run(oracle: PredicateOracle, *, again: bool = False) -> tuple[str, int]:
    state = state_of(Module.parse(TEXT), oracle)
    descend(state, ShrinkSizes(), again=again)
    return state.document.text, state.judge.costs.calls


def test_irrelevant_sizes_become_two_at_once() -> None:
    text, calls = run(PredicateOracle(lambda text: True))
    assert sizes(text) == (2, 2, 2)
    assert calls <= 3


def test_each_size_ends_at_its_boundary() -> None:
    text, calls = run(PredicateOracle(lambda t: (m := sizes(t))[0] > 128 and m[2] >= 3))
    assert sizes(text) == (129, 2, 3)
    assert calls <= 40


def test_a_needed_dynamic_size_stays() -> None:
    text, _ = run(PredicateOracle(lambda t: sizes(t)[1] is None))
    assert sizes(text) == (2, None, 2)


def test_sizes_that_depend_on_one_another_go_down_in_turn() -> None:
    text, _ = run(PredicateOracle(lambda t: (m := sizes(t))[0] >= m[2]))
    assert sizes(text) == (2, 2, 2)


def test_no_size_becomes_one() -> None:
    text, _ = run(PredicateOracle(lambda t: (m := sizes(t))[2] != 2 and m[0] != 3))
    assert sizes(text) == (2, 2, 3)


def test_a_second_time_only_the_nearest_values_are_tried() -> None:
    _, calls = run(PredicateOracle(lambda t: sizes(t) == (300, None, 64)), again=True)
    assert calls <= 5


def test_dims_that_nothing_needs_are_dropped() -> None:
    oracle = PredicateOracle(lambda text: "t.mm" in text)
    state = state_of(Module.parse(TEXT), oracle)
    descend(state, DropDims())
    assert "(tensor<?xf32>, tensor<?x64xf32>) -> tensor<64xf32>" in state.document.text


# ---- outcomes of values ------------------------------------------------------------------------

WIDTH = function(
    '"t.use"(%a) : (tensor<300xf32>) -> ()\n"func.return"() : () -> ()',
    arguments="%a: tensor<300xf32>",
)


def width(text: str) -> int:
    match = re.search(r"\(tensor<(\d+)xf32>\) ->", text)
    assert match is not None
    return int(match.group(1))


def other(message: str) -> Outcome:
    return Outcome(Kind.CRASH, Signature(Kind.CRASH, message), 1)


def turned_away() -> Outcome:
    return Outcome(Kind.INVALID_INPUT, Signature(Kind.INVALID_INPUT, "turned away"), 1)


class Widths:
    """Accepts a range of widths, as a verifier does."""

    def __init__(self, fits: Callable[[int], bool]) -> None:
        self.fits = fits

    def passes(self, texts: Sequence[str], base: str) -> list[bool]:
        return [self.fits(width(text)) for text in texts]


def lower(
    says: Callable[[int], Outcome],
    *,
    jobs: int = 1,
    screen: Widths | None = None,
) -> tuple[int, list[int]]:
    """The final width, and the widths that were run."""
    oracle = PredicateOracle(lambda text: True)
    run: list[int] = []

    def answer(text: str, **_: object) -> Outcome:
        run.append(width(text))
        return says(run[-1])

    oracle.run = answer  # type: ignore[method-assign, assignment]
    judge = Judge(
        oracle, Memory(), jobs=jobs, target=FAILURE, conditions=[Verifier(screen)] if screen else []
    )
    state = SearchState(Module.parse(WIDTH), Module.parse, judge, lambda candidate: None)
    try:
        descend(state, ShrinkSizes())
    finally:
        judge.close()
    return width(state.document.text), run


LATER = (8, 12, 28, 32, 44, 96, 108, 128, 150, 172, 192)
"""Sizes that are to tiles what 300 is, its half, powers of two and three times those."""


def test_values_that_cause_the_same_other_failure_are_skipped() -> None:
    assert lower(lambda n: other("broken")) == (300, [2, 256, 299])


def test_values_that_cause_different_failures_are_all_tried() -> None:
    found, run = lower(lambda n: other(f"broken {n}"))
    assert (found, run) == (300, [2, 256, 3, 4, 16, 64, *LATER, 299])


def test_values_that_do_not_fail_are_all_tried() -> None:
    found, run = lower(lambda n: PASSED)
    assert (found, run) == (300, [2, 3, 4, 16, 64, 256, *LATER, 299])


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_a_value_between_other_failures_is_found(jobs: int) -> None:
    found, _ = lower(lambda n: FAILED if 10 <= n <= 280 else other("broken"), jobs=jobs)
    assert found == 10


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_skipped_values_do_not_depend_on_workers(jobs: int) -> None:
    """One of the skipped values would have kept the failure."""
    found, _ = lower(lambda n: FAILED if n == 16 else other("broken"), jobs=jobs)
    assert found == 300


@pytest.mark.parametrize("screen", [None, Widths(lambda n: n in (16, 300))])
def test_invalid_values_do_not_affect_the_result_whether_run_or_screened(
    screen: Widths | None,
) -> None:
    found, run = lower(lambda n: FAILED if n in (16, 300) else turned_away(), screen=screen)
    assert found == 16
    assert (2 in run) == (screen is None)


@pytest.mark.parametrize("screen", [None, Widths(lambda n: n != 299)])
def test_an_invalid_nearest_value_is_no_evidence(screen: Widths | None) -> None:
    found, run = lower(lambda n: turned_away() if n == 299 else other("broken"), screen=screen)
    assert found == 300
    assert set(run) <= {2, 256, 299}


def test_the_boundary_of_valid_values_is_found_by_screening() -> None:
    assert lower(lambda n: FAILED, screen=Widths(lambda n: n >= 258)) == (258, [299, 258])


def test_a_boundary_above_the_valid_values_is_bisected() -> None:
    found, run = lower(lambda n: FAILED if n >= 290 else PASSED, screen=Widths(lambda n: n >= 258))
    assert found == 290
    assert len(run) <= 14


def test_failed_values_are_deferred_in_the_same_surroundings() -> None:
    oracle, failed = PredicateOracle(lambda text: width(text) == 300), FailedValues()
    state = state_of(Module.parse(WIDTH), oracle)
    assert not descend(state, ShrinkSizes(), failed)
    state.judge.cache.outcomes.clear()
    oracle.texts.clear()
    assert descend(state, ShrinkSizes(), failed, again=True)
    assert oracle.texts == []
    assert not descend(state, ShrinkSizes(), failed, again=True, everything=True)
    assert [width(text) for text in oracle.texts] == [2, 299]
