"""Structured ops with fewer inputs and outputs."""

from reducer.ir import Module
from reducer.transformations.structured import DropStructuredOperands
from tests.support.sides import apply_to, body_of, function

HEAD = """\
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>"""
SUM = function(
    """
    %0:2 = "linalg.generic"(%arg0, %arg1, %arg1, %arg1) <{indexing_maps = [#map, #map1, #map1, \
#map1], operandSegmentSizes = array<i32: 2, 2>}> ({
    ^bb0(%arg2: f32, %arg3: f32, %arg4: f32, %arg5: f32):
      %1 = "arith.addf"(%arg3, %arg4) : (f32, f32) -> f32
      %2 = "arith.mulf"(%arg5, %arg5) : (f32, f32) -> f32
      "linalg.yield"(%1, %2) : (f32, f32) -> ()
    }) : (tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) \
-> (tensor<4xf32>, tensor<4xf32>)
    "func.return"(%0#0) : (tensor<4xf32>) -> ()
    """,
    arguments="%arg0: tensor<4x?xf32>, %arg1: tensor<4xf32>",
    results="tensor<4xf32>",
    head=HEAD,
)


def test_operands_that_may_go() -> None:
    # Not the first: it alone tells the size of d1. Not the third: its result is used.
    numbers = [site.number for site in DropStructuredOperands().sites(Module.parse(SUM))]
    assert numbers == [1, 3]


def test_an_input_gives_way_to_another() -> None:
    after = body_of(apply_to(DropStructuredOperands(), SUM, 0))
    assert '"linalg.generic"(%arg0, %arg1, %arg1) <{indexing_maps = [#map, #map1, #map1]' in after
    assert "operandSegmentSizes = array<i32: 1, 2>" in after
    assert "^bb0(%arg2: f32, %arg4: f32, %arg5: f32):" in after
    assert '"arith.addf"(%arg2, %arg4)' in after


def test_an_output_takes_its_result_and_what_was_computed_for_it_along() -> None:
    assert (
        body_of(apply_to(DropStructuredOperands(), SUM, 1))
        == """\
^bb0(%arg0: tensor<4x?xf32>, %arg1: tensor<4xf32>):
%s0 = "linalg.generic"(%arg0, %arg1, %arg1) <{indexing_maps = [#map, #map1, #map1], \
operandSegmentSizes = array<i32: 2, 1>}> ({
^bb0(%arg2: f32, %arg3: f32, %arg4: f32):
  %1 = "arith.addf"(%arg3, %arg4) : (f32, f32) -> f32
  "linalg.yield"(%1) : (f32) -> ()
}) : (tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%s0) : (tensor<4xf32>) -> ()"""
    )


def test_the_last_output_stays() -> None:
    text = apply_to(DropStructuredOperands(), SUM, 1)
    numbers = [site.number for site in DropStructuredOperands().sites(Module.parse(text))]
    assert numbers == [1]


def test_as_many_as_can_go_together() -> None:
    text = SUM.replace("affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d1)>")
    text = text.replace("tensor<4x?xf32>", "tensor<?xf32>").replace(
        "#map1, #map1, #map1]", "#map, #map1, #map1]"
    )
    # Either of the inputs could go, but not both: one has to give d1 its size.
    assert [site.number for site in DropStructuredOperands().sites(Module.parse(text))] == [0, 1, 3]
    after = body_of(apply_to(DropStructuredOperands(), text))
    assert '"linalg.generic"(%arg1, %arg1) <{indexing_maps = [#map, #map1]' in after
