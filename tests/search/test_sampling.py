"""Sampling: examples and windows in models of repeated layers."""

from reducer.ir import Module
from reducer.search.sampling import sample
from reducer.search.state import SearchState
from reducer.transformations import BoundaryTypes
from tests.support.predicate import PredicateOracle
from tests.support.searching import state_of
from tests.support.sides import function

TENSOR = "tensor<4xf32>"


def model(layers: int, odd: int) -> Module:
    """Layers of 100 equal ops; each ends in `t.norm`, but layer `odd` in `t.odd` and `t.norm`."""
    names: list[str] = []
    for layer in range(layers):
        names += [f"t.op{n}" for n in range(100)]
        names += ["t.odd", "t.norm"] if layer == odd else ["t.norm"]
    ops = [f'%{i + 1} = "{n}"(%{i}) : ({TENSOR}) -> {TENSOR}' for i, n in enumerate(names)]
    body = "\n".join(ops).replace("(%0)", "(%arg0)")
    body += f'\n"func.return"(%{len(names)}) : ({TENSOR}) -> ()'
    return Module.parse(function(body, arguments=f"%arg0: {TENSOR}", results=TENSOR))


def sampled(module: Module, oracle: PredicateOracle) -> tuple[bool, SearchState[Module]]:
    state = state_of(module, oracle)
    found = sample(state, BoundaryTypes.of(module))
    return found, state


def test_a_failure_of_every_layer_is_found_in_one_of_them() -> None:
    oracle = PredicateOracle(lambda text: '"t.op98"' in text and '"t.norm"' in text)
    module = model(61, odd=-1)
    found, state = sampled(module, oracle)
    assert found
    assert state.document.op_count <= module.op_count / 40
    assert len(oracle.texts) <= 4


def test_the_odd_one_out_is_a_kind_of_its_own() -> None:
    oracle = PredicateOracle(lambda text: '"t.odd"' in text)
    found, state = sampled(model(61, odd=47), oracle)
    assert found
    assert '"t.odd"' in state.document.text
    assert len(oracle.texts) <= 8


def test_a_failure_that_needs_everything_costs_little_and_is_not_found() -> None:
    module = model(61, odd=-1)
    oracle = PredicateOracle(lambda text: text.count('"t.norm"') == 61)
    found, state = sampled(module, oracle)
    assert not found
    assert state.document is module
    assert state.judge.costs.candidate_ops <= module.op_count / 2


def test_what_the_failure_names_is_tried_first_without_what_it_is_in() -> None:
    layer = f"""
    "t.region"(%arg0) ({{
      %a = "t.a"(%arg0) : ({TENSOR}) -> {TENSOR}
      %b = "t.region"(%a) ({{
        %c = "interesting.op"(%a, %arg0) ({{
        ^bb0(%x: f32):
          %y = "t.scalar"(%x) : (f32) -> f32
          "interesting.part"(%y) : (f32) -> ()
          "interesting.yield"(%y) : (f32) -> ()
        }}) : ({TENSOR}, {TENSOR}) -> {TENSOR}
        "t.yield"(%c) : ({TENSOR}) -> ()
      }}) : ({TENSOR}) -> {TENSOR}
      "t.yield"(%b) : ({TENSOR}) -> ()
    }}) : ({TENSOR}) -> {TENSOR}
    """
    text = function(layer * 120 + '"func.return"() : () -> ()', arguments=f"%arg0: {TENSOR}")
    oracle = PredicateOracle(lambda text: '"interesting.op"' in text)
    found, state = sampled(Module.parse(text), oracle)
    assert found and len(oracle.texts) == 1
    names = state.document.t.name
    assert {name for name in names if name.startswith("t.")} == set()
    assert names.count("interesting.op") == 1
