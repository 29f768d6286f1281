"""Dropping inputs and outputs of structured ops."""

from reducer.ir import Module
from tests.support.sides import TIED, apply_to, body_of, function

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


def test_operands_that_can_be_dropped() -> None:
    # Not the first: only it determines the size of d1. Not the third: its result is used.
    numbers = [site.number for site in TIED["drop structured operands"].sites(Module.parse(SUM))]
    assert numbers == [1, 3]


def test_an_input_is_replaced_by_another() -> None:
    after = body_of(apply_to(TIED["drop structured operands"], SUM, 0))
    assert '"linalg.generic"(%arg0, %arg1, %arg1) <{indexing_maps = [#map, #map1, #map1]' in after
    assert "operandSegmentSizes = array<i32: 1, 2>" in after
    assert "^bb0(%arg2: f32, %arg4: f32, %arg5: f32):" in after
    assert '"arith.addf"(%arg2, %arg4)' in after


def test_dropping_an_output_drops_its_result_and_computation() -> None:
    assert (
        body_of(apply_to(TIED["drop structured operands"], SUM, 1))
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
    text = apply_to(TIED["drop structured operands"], SUM, 1)
    numbers = [site.number for site in TIED["drop structured operands"].sites(Module.parse(text))]
    assert numbers == [1]


def test_as_many_as_possible_are_dropped_together() -> None:
    text = SUM.replace("affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d1)>")
    text = text.replace("tensor<4x?xf32>", "tensor<?xf32>").replace(
        "#map1, #map1, #map1]", "#map, #map1, #map1]"
    )
    # Either input can be dropped, but not both: one must determine the size of d1.
    assert [site.number for site in TIED["drop structured operands"].sites(Module.parse(text))] == [
        0,
        1,
        3,
    ]
    after = body_of(apply_to(TIED["drop structured operands"], text))
    assert '"linalg.generic"(%arg1, %arg1) <{indexing_maps = [#map, #map1]' in after


PASSED_ON = function(
    """
    %0:2 = "linalg.generic"(%arg0, %arg1, %arg2) <{indexing_maps = [#map1, #map1, #map1], \
operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg3: f32, %arg4: i32, %arg5: f32):
      "linalg.yield"(%arg4, %arg3) : (i32, f32) -> ()
    }) : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>)
    "func.return"(%0#0, %0#1) : (tensor<4xi32>, tensor<4xf32>) -> ()
    """,
    arguments="%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xf32>",
    results="tensor<4xi32>, tensor<4xf32>",
    head="#map1 = affine_map<(d0) -> (d0)>",
)


def test_an_output_whose_argument_is_only_yielded() -> None:
    # No other argument has its type, and its result is used.
    numbers = [
        site.number for site in TIED["drop structured operands"].sites(Module.parse(PASSED_ON))
    ]
    assert numbers == [0, 1]
    after = body_of(apply_to(TIED["drop structured operands"], PASSED_ON, 1))
    assert '= "linalg.generic"(%arg0, %arg2) <{indexing_maps = [#map1, #map1]' in after
    assert "^bb0(%arg3: f32, %arg5: f32):" in after
    assert '"linalg.yield"(%arg3) : (f32) -> ()' in after
    assert '"func.return"(%arg1, %s0) : (tensor<4xi32>, tensor<4xf32>) -> ()' in after
