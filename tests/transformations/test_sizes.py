"""Shrinking sizes along with the constants that repeat them."""

import re

from reducer.ir import Module
from reducer.transformations.sizes import ShrinkSizes
from tests.support.sides import body_of, function

TOPK = function(
    """\
%0 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
%1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
%2 = "torch.aten.topk"(%a, %0, %1) : (!torch.vtensor<[?,256],f32>, !torch.int, !torch.int) -> \
!torch.vtensor<[?,8],f32>
"func.return"() : () -> ()""",
    arguments="%a: !torch.vtensor<[?,256],f32>",
)


def test_a_size_and_its_constant_change_together() -> None:
    (text,) = ShrinkSizes().of(Module.parse(TOPK)).texts({2: 3})
    assert (
        body_of(text)
        == """\
^bb0(%a: !torch.vtensor<[?,256],f32>):
%0 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
%1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
%2 = "torch.aten.topk"(%a, %0, %1) : (!torch.vtensor<[?,256],f32>, !torch.int, !torch.int) -> \
!torch.vtensor<[?,3],f32>
"func.return"() : () -> ()"""
    )


def test_a_product_and_its_constant_change_together() -> None:
    text = function(
        """\
%0 = "torch.constant.int"() <{value = 15 : i64}> : () -> !torch.int
%1 = "torch.prim.ListConstruct"(%0) : (!torch.int) -> !torch.list<int>
%2 = "torch.aten.view"(%a, %1) : (!torch.vtensor<[5,3],f32>, !torch.list<int>) -> \
!torch.vtensor<[15],f32>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[5,3],f32>",
    )
    (after,) = ShrinkSizes().of(Module.parse(text)).texts({0: 2})
    assert (
        body_of(after)
        == """\
^bb0(%a: !torch.vtensor<[2,3],f32>):
%0 = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
%1 = "torch.prim.ListConstruct"(%0) : (!torch.int) -> !torch.list<int>
%2 = "torch.aten.view"(%a, %1) : (!torch.vtensor<[2,3],f32>, !torch.list<int>) -> \
!torch.vtensor<[6],f32>
"func.return"() : () -> ()"""
    )


def test_dynamic_sizes_come_first_and_small_values_before_large_ones() -> None:
    sizes = ShrinkSizes().of(Module.parse(TOPK))
    assert list(sizes.values.items()) == [(0, None), (1, 256), (2, 8)]
    assert sizes.simpler(1, 20) == [1, 2, 4, 16, 12, 16]
    assert sizes.simpler(1, 224) == [1, 2, 4, 16, 64, 128, 8, 32, 96, 112, 192, 128]
    assert sizes.simpler(1, 8) == [1, 2, 4]
    assert sizes.simpler(1, 64) == [1, 2, 4, 16, 32, 8, 32]
    assert sizes.simpler(1, 1) == []
    assert sizes.simpler(1, 33) == [1, 2, 4, 16, 32, 5, 9, 17, 32], "as much above a tile"
    assert all(isinstance(size, int) for size in sizes.simpler(0, None))
    assert (sizes.between(4, 8), sizes.between(7, 8), sizes.next_down(8)) == (6, None, 7)


def test_a_size_that_a_verifier_checks_does_not_become_one() -> None:
    text = function(
        '"t.use"(%a) : (tensor<20x1xf32>) -> ()\n"func.return"() : () -> ()',
        arguments="%a: tensor<20x1xf32>",
    )
    sizes = ShrinkSizes().of(Module.parse(text))
    assert sizes.simpler(0, 20) == [2, 3, 4, 16, 12, 16]
    assert sizes.simpler(0, 3) == [2]
    assert sizes.simpler(0, 2) == sizes.simpler(1, 1) == []
    assert sizes.next_down(2) is None


def test_a_bisection_looks_at_powers_of_two_and_next_to_them() -> None:
    sizes = ShrinkSizes().of(Module.parse(TOPK))
    assert [sizes.between(16, 64), sizes.between(16, 32), sizes.between(24, 32)] == [32, 24, 31]
    assert [sizes.between(64, 128), sizes.between(64, 96), sizes.between(20, 31)] == [96, 80, 25]


def test_a_size_that_an_op_computes_is_not_a_parameter() -> None:
    text = function(
        """\
%0 = "torch.aten.nonzero"(%a) : (!torch.vtensor<[3,4],f32>) -> !torch.vtensor<[?,2],si64>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[3,4],f32>",
    )
    assert list(ShrinkSizes().of(Module.parse(text)).values.values()) == [4, 3]


def test_a_size_that_an_op_computes_shrinks_in_proportion() -> None:
    """The old size, which no compiler would give the result, is tried next."""
    text = function(
        """\
%0 = "torch.operator"(%a) <{name = "onnx.MaxUnpool"}> : (!torch.vtensor<[1,2,3],f32>) -> \
!torch.vtensor<[1,4,7],f32>
%1 = "torch.operator"(%0) <{name = "onnx.MaxPool"}> : (!torch.vtensor<[1,4,7],f32>) -> \
!torch.vtensor<[1,8,5],f32>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[1,2,3],f32>",
    )
    sizes = ShrinkSizes().of(Module.parse(text))
    two, three = (
        next(n for n, size in sizes.values.items() if size == wanted) for wanted in (2, 3)
    )
    shapes = [re.findall(r"-> .*<(\[.*\])", after) for after in sizes.texts({two: 1})]
    assert shapes == [["[1,2,7]", "[1,4,5]"], ["[1,4,7]", "[1,8,5]"]]
    shapes = [re.findall(r"-> .*<(\[.*\])", after) for after in sizes.texts({three: 1})]
    assert shapes == [["[1,4,2]", "[1,8,1]"], ["[1,4,7]", "[1,8,5]"]]


def test_a_shape_operand_of_an_opaque_op_keeps_its_length() -> None:
    """`onnx.Resize` takes one size per dim."""
    text = function(
        """\
%0 = "torch.operator"(%a, %b) <{name = "onnx.Resize"}> : (!torch.vtensor<[1,3,5,7],f32>, \
!torch.vtensor<[4],si64>) -> !torch.vtensor<[1,3,9,9],f32>
%1 = "torch.operator"(%a, %c) <{name = "onnx.Add"}> : (!torch.vtensor<[1,3,5,7],f32>, \
!torch.vtensor<[8],si64>) -> !torch.vtensor<[1,3,5,7],f32>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[1,3,5,7],f32>, %b: !torch.vtensor<[4],si64>, "
        "%c: !torch.vtensor<[8],si64>",
    )
    sizes = ShrinkSizes().of(Module.parse(text)).values.values()
    assert 4 not in sizes
    assert 8 in sizes


def test_a_size_and_the_list_that_repeats_it_change_together() -> None:
    text = function(
        """\
%0 = "t.conv"(%a, %w) {kernel_shape = [10 : si64], strides = [5 : si64]} : \
(!torch.vtensor<[2,1,64],f32>, !torch.vtensor<[3,1,10],f32>) -> !torch.vtensor<[2,3,?],f32>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[2,1,64],f32>, %w: !torch.vtensor<[3,1,10],f32>",
    )
    sizes = ShrinkSizes().of(Module.parse(text))
    (number,) = [number for number, size in sizes.values.items() if size == 10]
    (after,) = sizes.texts({**sizes.values, number: 4})
    assert "kernel_shape = [4 : si64]" in after
    assert "!torch.vtensor<[3,1,4],f32>" in after
