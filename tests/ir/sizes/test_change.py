"""Sizes that must be equal change together, along with all that repeats them.

Ops tie dims to one another, and the variables of a module follow from that. New sizes leave a
module whose types, attributes and operands agree.

This file: functions before and after their sizes are changed.
"""

import pytest

from reducer.ir import Module
from reducer.ir.sizes import DROPPED, Size, SizeSystem
from tests.support.sides import body_of, function
from tests.support.wellformed import problems


def change(body: str, arguments: str, sizes: dict[int, Size], results: str = "") -> str | None:
    """The body after giving these variables new sizes."""
    text = function(body, arguments=arguments, results=results)
    after = SizeSystem(Module.parse(text)).text(sizes)
    if after is None:
        return None
    assert problems(Module.parse(after)) == []
    return body_of(after)


def test_a_size_changes_in_all_types() -> None:
    assert (
        change(
            '%0 = "t.mm"(%a, %b) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>\n'
            '"func.return"(%0) : (tensor<3x7xf32>) -> ()',
            "%a: tensor<3x5xf32>, %b: tensor<5x7xf32>",
            {1: 2},
            results="tensor<3x7xf32>",
        )
        == """\
^bb0(%a: tensor<3x2xf32>, %b: tensor<2x7xf32>):
%0 = "t.mm"(%a, %b) : (tensor<3x2xf32>, tensor<2x7xf32>) -> tensor<3x7xf32>
"func.return"(%0) : (tensor<3x7xf32>) -> ()"""
    )


COLLAPSE = (
    '%0 = "t.collapse"(%a) <{reassociation = [[0], [1, 2]]}> : '
    '(tensor<4x2x8xf32>) -> tensor<4x16xf32>\n"func.return"() : () -> ()'
)


def test_products_follow_their_factors() -> None:
    assert (
        change(COLLAPSE, "%a: tensor<4x2x8xf32>", {2: 3})
        == """\
^bb0(%a: tensor<4x2x3xf32>):
%0 = "t.collapse"(%a) <{reassociation = [[0], [1, 2]]}> : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
"func.return"() : () -> ()"""
    )


def test_a_dim_is_dropped_with_its_group() -> None:
    assert (
        change(COLLAPSE, "%a: tensor<4x2x8xf32>", {0: DROPPED})
        == """\
^bb0(%a: tensor<2x8xf32>):
%0 = "t.collapse"(%a) <{reassociation = [[0, 1]]}> : (tensor<2x8xf32>) -> tensor<16xf32>
"func.return"() : () -> ()"""
    )


def test_a_loop_is_dropped_with_its_dim() -> None:
    body = """\
%0 = "t.generic"(%a, %b) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, \
affine_map<(d0, d1) -> (d1)>], iterator_types = [#x<parallel>, #x<reduction>]}> ({
^bb0(%i: f32, %j: f32):
  %1 = "t.index"() <{dim = 1 : i64}> : () -> index
  "t.yield"(%i) : (f32) -> ()
}) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
"func.return"() : () -> ()"""
    assert (
        change(body, "%a: tensor<4x8xf32>, %b: tensor<8xf32>", {0: DROPPED})
        == """\
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
%0 = "t.generic"(%a, %b) <{indexing_maps = [affine_map<(d0) -> (d0)>, \
affine_map<(d0) -> (d0)>], iterator_types = [#x<reduction>]}> ({
^bb0(%i: f32, %j: f32):
  %1 = "t.index"() <{dim = 0 : i64}> : () -> index
  "t.yield"(%i) : (f32) -> ()
}) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
"func.return"() : () -> ()"""
    )
    assert change(body, "%a: tensor<4x8xf32>, %b: tensor<8xf32>", {1: DROPPED}) is None


def test_a_unit_loop_of_a_convolution_is_dropped() -> None:
    body = """\
%0 = "t.conv"(%a, %b, %c) <{indexing_maps = [affine_map<(d0, d1, d2) -> (d0 * 2 + d1, d2)>, \
affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>], \
iterator_types = [#p, #r, #p]}> : (tensor<3x8xf32>, tensor<3xf32>, tensor<1x8xf32>) -> \
tensor<1x8xf32>
"func.return"() : () -> ()"""
    arguments = "%a: tensor<3x8xf32>, %b: tensor<3xf32>, %c: tensor<1x8xf32>"
    assert (
        change(body, arguments, {3: DROPPED})
        == """\
^bb0(%a: tensor<3x8xf32>, %b: tensor<3xf32>, %c: tensor<8xf32>):
%0 = "t.conv"(%a, %b, %c) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, \
affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>], \
iterator_types = [#r, #p]}> : (tensor<3x8xf32>, tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32>
"func.return"() : () -> ()"""
    )
    wider = body.replace("1x8", "4x8")
    assert change(wider, arguments.replace("1x8", "4x8"), {3: DROPPED}) is None


def test_dropping_the_batch_dim_renames_the_op() -> None:
    assert (
        change(
            '%0 = "torch.aten.bmm"(%a, %b) : (tensor<2x3x5xf32>, tensor<2x5x7xf32>) -> '
            'tensor<2x3x7xf32>\n"func.return"() : () -> ()',
            "%a: tensor<2x3x5xf32>, %b: tensor<2x5x7xf32>",
            {0: DROPPED},
        )
        == """\
^bb0(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>):
%0 = "torch.aten.mm"(%a, %b) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
"func.return"() : () -> ()"""
    )


def test_the_last_dim_of_an_unverified_shape_stays() -> None:
    body = '"t.sort"(%a) : (!torch.vtensor<[4],f32>) -> ()\n"func.return"() : () -> ()'
    assert change(body, "%a: !torch.vtensor<[4],f32>", {0: DROPPED}) is None


def test_unverified_shapes_lose_dims_together() -> None:
    body = (
        '%0 = "t.pool"(%a, %b) : (!torch.vtensor<[2,4],f32>, !torch.vtensor<[2,5],f32>) -> '
        '!torch.vtensor<[2,3],f32>\n"func.return"() : () -> ()'
    )
    arguments = "%a: !torch.vtensor<[2,4],f32>, %b: !torch.vtensor<[2,5],f32>"
    assert change(body, arguments, {1: DROPPED}) is None
    after = change(body, arguments, {0: DROPPED})
    assert after is not None
    assert "(!torch.vtensor<[4],f32>, !torch.vtensor<[5],f32>) -> !torch.vtensor<[3],f32>" in after


def test_an_attribute_that_numbers_a_dim_is_renumbered() -> None:
    body = (
        '%0 = "t.sort"(%a) <{dimension = 1 : i64, dims_pos = array<i64: 0, 1>}> : '
        '(tensor<2x4xf32>) -> tensor<2x4xf32>\n"func.return"() : () -> ()'
    )
    after = change(body, "%a: tensor<2x4xf32>", {0: DROPPED})
    assert after is not None
    assert "<{dimension = 0 : i64, dims_pos = array<i64: 0>}>" in after
    assert change(body, "%a: tensor<2x4xf32>", {1: DROPPED}) is None


def test_a_static_size_needs_no_operand() -> None:
    assert (
        change(
            '%0 = "t.empty"(%m, %n) : (index, index) -> tensor<?x4x?xf32>\n'
            '"func.return"() : () -> ()',
            "%m: index, %n: index",
            {0: 2},
        )
        == """\
^bb0(%m: index, %n: index):
%0 = "t.empty"(%n) : (index) -> tensor<2x4x?xf32>
"func.return"() : () -> ()"""
    )


def test_sizes_of_a_slice_change_together() -> None:
    slice_ = (
        '%0 = "t.slice"(%a, %n) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>, '
        "static_offsets = array<i64: 0, 3>, "
        "static_sizes = array<i64: 4, -9223372036854775808>, "
        "static_strides = array<i64: 1, 1>}> : (tensor<4x?xf32>, index) -> tensor<4x?xf32>\n"
        '"func.return"() : () -> ()'
    )
    assert (
        change(slice_, "%a: tensor<4x?xf32>, %n: index", {1: 2, 0: 5})
        == """\
^bb0(%a: tensor<5x2xf32>, %n: index):
%0 = "t.slice"(%a) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, \
static_offsets = array<i64: 0, 3>, static_sizes = array<i64: 5, 2>, \
static_strides = array<i64: 1, 1>}> : (tensor<5x2xf32>) -> tensor<5x2xf32>
"func.return"() : () -> ()"""
    )


def test_tile_sizes_are_tied_to_inner_dims() -> None:
    after = change(
        '%0 = "t.unpack"(%a, %b) <{inner_dims_pos = array<i64: 0, 1>, '
        "static_inner_tiles = array<i64: 2, 64>}> : (tensor<1x5x2x64xf32>, tensor<2x320xf32>) -> "
        'tensor<2x320xf32>\n"func.return"() : () -> ()',
        "%a: tensor<1x5x2x64xf32>, %b: tensor<2x320xf32>",
        {3: 4},
    )
    assert "static_inner_tiles = array<i64: 2, 4>}> : (tensor<1x5x2x4xf32>" in after
    assert "inner_dims_pos = array<i64: 0, 1>" in after


def test_the_value_of_a_constant_changes_its_type_too() -> None:
    assert (
        change(
            '%0 = "t.constant"() <{value = dense<0> : tensor<4xi8>}> : () -> tensor<4xi8>\n'
            '"func.return"() : () -> ()',
            "",
            {0: 2},
        )
        == """\
%0 = "t.constant"() <{value = dense<0> : tensor<2xi8>}> : () -> tensor<2xi8>
"func.return"() : () -> ()"""
    )


def test_an_index_that_is_passed_on_is_not_one_into_a_dim() -> None:
    assert (
        change(
            '%0 = "t.call"(%a, %i) <{callee = @f}> : (tensor<4xf32>, index) -> i32\n'
            '"func.return"(%a, %i) : (tensor<4xf32>, index) -> ()',
            "%a: tensor<4xf32>, %i: index",
            {0: DROPPED},
            results="tensor<4xf32>, index",
        )
        == """\
^bb0(%a: tensor<f32>, %i: index):
%0 = "t.call"(%a, %i) <{callee = @f}> : (tensor<f32>, index) -> i32
"func.return"(%a, %i) : (tensor<f32>, index) -> ()"""
    )


def test_a_list_of_elements_gets_shorter_with_its_type() -> None:
    assert (
        change(
            '%0 = "tensor.from_elements"(%x, %y, %x) : (i32, i32, i32) -> tensor<3xi32>\n'
            '%1 = "t.add"(%0, %0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>\n'
            '%2 = "arith.constant"() <{value = dense<[4, 5]> : tensor<2xi32>}> : () '
            "-> tensor<2xi32>\n"
            '"func.return"() : () -> ()',
            "%x: i32, %y: i32",
            {0: 2, 1: 1},
        )
        == """\
^bb0(%x: i32, %y: i32):
%0 = "tensor.from_elements"(%x, %y) : (i32, i32) -> tensor<2xi32>
%1 = "t.add"(%0, %0) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
%2 = "arith.constant"() <{value = dense<[4]> : tensor<1xi32>}> : () -> tensor<1xi32>
"func.return"() : () -> ()"""
    )


LOAD = (
    '%0 = "memref.load"(%a, %i, %j) : (memref<3x5xf32>, index, index) -> f32\n'
    '"func.return"() : () -> ()'
)


@pytest.mark.parametrize(("dropped", "left"), [(0, "memref<5xf32>, %j"), (1, "memref<3xf32>, %i")])
def test_the_index_of_a_dropped_dim_goes(dropped: int, left: str) -> None:
    kind, index = left.split(", ")
    after = change(LOAD, "%a: memref<3x5xf32>, %i: index, %j: index", {dropped: DROPPED})
    assert after is not None
    assert f'%0 = "memref.load"(%a, {index}) : ({kind}, index) -> f32' in after.splitlines()


def test_the_operand_for_a_size_that_is_no_longer_dynamic_goes() -> None:
    sizes = "static_sizes = array<i64: -9223372036854775808, 4, 8>"
    body = (
        f'%0 = "t.init"(%a, %n) <{{{sizes}}}> : (tensor<3xf32>, index) -> tensor<?x4x8xf32>\n'
        '"func.return"() : () -> ()'
    )
    after = change(body, "%a: tensor<3xf32>, %n: index", {1: 2})
    assert after is not None
    assert (
        '%0 = "t.init"(%a) <{static_sizes = array<i64: 2, 4, 8>}> : (tensor<3xf32>) -> '
        "tensor<2x4x8xf32>"
    ) in after.splitlines()
