"""Descents: how far each parameter goes down, and at what price."""

import re

from reducer.ir import Module
from reducer.search.descend import descend
from reducer.search.evaluator import Evaluator
from reducer.search.state import State
from reducer.transformations.ranks import DropDims
from reducer.transformations.sizes import ShrinkSizes
from tests.support.predicate import FAILURE, Memory, PredicateOracle
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
    evaluator = Evaluator(oracle, Memory())
    evaluator.wanted = FAILURE
    state = State(Module.parse(TEXT), Module.parse, evaluator, lambda candidate: None)
    try:
        descend(state, ShrinkSizes(), again=again)
    finally:
        evaluator.close()
    return state.document.text, evaluator.costs.calls


def test_what_does_not_matter_is_one_at_once() -> None:
    text, calls = run(PredicateOracle(lambda text: True))
    assert sizes(text) == (1, 1, 1)
    assert calls <= 3


def test_each_size_ends_at_its_boundary() -> None:
    text, calls = run(PredicateOracle(lambda t: (m := sizes(t))[0] > 128 and m[2] >= 3))
    assert sizes(text) == (129, 1, 3)
    assert calls <= 40


def test_a_dynamic_size_stays_where_it_must() -> None:
    text, _ = run(PredicateOracle(lambda t: sizes(t)[1] is None))
    assert sizes(text) == (1, None, 1)


def test_sizes_that_depend_on_one_another_go_down_in_turn() -> None:
    text, _ = run(PredicateOracle(lambda t: (m := sizes(t))[0] >= m[2]))
    assert sizes(text) == (1, 1, 1)


def test_a_second_time_only_the_nearest_values_are_tried() -> None:
    _, calls = run(PredicateOracle(lambda t: sizes(t) == (300, None, 64)), again=True)
    assert calls <= 5


def test_dims_that_nothing_needs_are_dropped() -> None:
    oracle = PredicateOracle(lambda text: "t.mm" in text)
    evaluator = Evaluator(oracle, Memory())
    evaluator.wanted = FAILURE
    state = State(Module.parse(TEXT), Module.parse, evaluator, lambda candidate: None)
    descend(state, DropDims())
    evaluator.close()
    assert '"t.mm"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>' in state.document.text
