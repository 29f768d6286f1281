"""Sizes that do not fail monotonically: what a person would try."""

from collections.abc import Callable

import pytest

from reducer.ir import Module
from reducer.transformations.sizes import ShrinkSizes
from tests.support.predicate import PredicateOracle
from tests.support.searching import polish, state_of
from tests.support.sides import function

_TEXT = function(
    """
    %0 = "t.swap"(%a) {perm = [1, 0]} : (tensor<576x576xf32>) -> tensor<576x576xf32>
    "func.return"(%0) : (tensor<576x576xf32>) -> ()
    """,
    arguments="%a: tensor<576x576xf32>",
    results="tensor<576x576xf32>",
)


def _dims(text: str) -> list[tuple[int, int]]:
    module = Module.parse(text)
    swap = module.t.name.index("t.swap")
    values = (*module.t.operands[swap], *module.results(swap))
    shapes = [module.type_of(value).split("<")[1].split("x")[:2] for value in values]
    return [(int(first), int(second)) for first, second in shapes]


def first(*working: int) -> Callable[[str], bool]:
    """The first size must be one of these, and the result transposed."""
    return lambda text: _dims(text)[0][0] in working and _dims(text)[1] == _dims(text)[0][::-1]


@pytest.mark.parametrize(
    ("fails", "sizes"),
    [
        (first(576, 64), (64, 2)),
        (first(576, 128), (128, 2)),
        (first(576, 288), (288, 2)),
        (first(576, 96), (96, 2)),
        (first(576), (576, 2)),
    ],
)
def test_sizes_that_work_only_now_and_then_are_found(
    fails: Callable[[str], bool], sizes: tuple[int, int]
) -> None:
    oracle = PredicateOracle(fails)
    state = state_of(Module.parse(_TEXT), oracle)
    polish(state, [], [ShrinkSizes()], lambda phase: None)
    assert _dims(state.document.text)[0] == sizes
    assert len(oracle.texts) < 30
