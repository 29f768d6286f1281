"""Dropping dims, and updating what counts or numbers them."""

from reducer.ir import Module
from reducer.ir.sizes import DROPPED
from reducer.transformations.ranks import DropDims
from tests.support.sides import body_of, function


def test_a_constant_that_numbers_a_later_dim_is_renumbered() -> None:
    text = function(
        """\
%0 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
%1 = "torch.aten.softmax.int"(%a, %0) : (!torch.vtensor<[?,5],f32>, !torch.int) -> \
!torch.vtensor<[?,5],f32>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[?,5],f32>",
    )
    as_it_is, counted = DropDims().of(Module.parse(text)).texts({0: DROPPED})
    assert "value = 1" in as_it_is
    assert (
        body_of(counted)
        == """\
^bb0(%a: !torch.vtensor<[5],f32>):
%0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
%1 = "torch.aten.softmax.int"(%a, %0) : (!torch.vtensor<[5],f32>, !torch.int) -> \
!torch.vtensor<[5],f32>
"func.return"() : () -> ()"""
    )


def test_unit_dims_are_dropped_first() -> None:
    text = function(
        '"t.use"(%a) : (tensor<4x1xf32>) -> ()\n"func.return"() : () -> ()',
        arguments="%a: tensor<4x1xf32>",
    )
    ranks = DropDims().of(Module.parse(text))
    assert list(ranks.values.items()) == [(1, 1), (0, 4)]
    assert ranks.simpler(0, 4) == [DROPPED]
    assert ranks.simpler(0, DROPPED) == []


def test_each_shape_keeps_a_dim() -> None:
    text = function(
        '"t.use"(%a, %b) : (tensor<4x1xf32>, tensor<7xf32>) -> ()\n"func.return"() : () -> ()',
        arguments="%a: tensor<4x1xf32>, %b: tensor<7xf32>",
    )
    ranks = DropDims().of(Module.parse(text))
    (both,) = ranks.texts(dict.fromkeys(ranks.values, DROPPED))
    assert "(tensor<4xf32>, tensor<7xf32>)" in both
    assert ranks.texts({2: DROPPED}) == []


def test_an_illegal_op_keeps_its_unverified_ranks() -> None:
    """It may also be illegal because of its rank, so the result could show another bug."""
    torch = function(
        '"torch.sdpa"(%a) : (!torch.vtensor<[2,3],f32>) -> ()\n'
        '"t.use"(%b) : (tensor<5xf32>) -> ()\n'
        '"func.return"() : () -> ()',
        arguments="%a: !torch.vtensor<[2,3],f32>, %b: tensor<5xf32>",
    )
    assert list(DropDims().of(Module.parse(torch)).values.values()) == [2, 3, 5]
    assert list(DropDims("torch.sdpa").of(Module.parse(torch)).values.values()) == [5]
    assert list(DropDims("t.use").of(Module.parse(torch)).values.values()) == [2, 3, 5]


def dropped(body: str, arguments: str, size: int | None) -> list[str]:
    """The bodies in which the first variable of this size is dropped."""
    module = Module.parse(function(body + '\n"func.return"() : () -> ()', arguments=arguments))
    ranks = DropDims().of(module)
    number = next(n for n, value in ranks.values.items() if value == size)
    return [body_of(text) for text in ranks.texts({number: DROPPED})]


def test_a_length_that_is_the_rank_of_a_result_decreases() -> None:
    counted, _ = dropped(
        '%0 = "tensor.reshape"(%a, %b) : (tensor<6xf32>, tensor<3xindex>) -> tensor<?x2x3xf32>',
        "%a: tensor<6xf32>, %b: tensor<3xindex>",
        2,
    )
    assert (
        counted
        == """\
^bb0(%a: tensor<6xf32>, %b: tensor<2xindex>):
%0 = "tensor.reshape"(%a, %b) : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x3xf32>
"func.return"() : () -> ()"""
    )


def test_a_length_that_is_the_rank_of_an_operand_decreases() -> None:
    counted, _ = dropped(
        '%0 = "shape.shape_of"(%a) : (tensor<?x7xf32>) -> tensor<2xindex>',
        "%a: tensor<?x7xf32>",
        None,
    )
    assert "(tensor<7xf32>) -> tensor<1xindex>" in counted


def test_the_element_for_the_dim_is_dropped_from_explicit_lists() -> None:
    counted, _ = dropped(
        """\
%0 = "tensor.from_elements"(%x, %y, %z) : (index, index, index) -> tensor<3xindex>
%1 = "arith.constant"() <{value = dense<[4, 5, 6]> : tensor<3xi32>}> : () -> tensor<3xi32>
%2 = "tensor.reshape"(%a, %0) : (tensor<?xf32>, tensor<3xindex>) -> tensor<?x5x?xf32>
%3 = "tensor.reshape"(%2, %1) : (tensor<?x5x?xf32>, tensor<3xi32>) -> tensor<?x5x?xf32>""",
        "%a: tensor<?xf32>, %x: index, %y: index, %z: index",
        5,
    )
    assert (
        counted
        == """\
^bb0(%a: tensor<?xf32>, %x: index, %y: index, %z: index):
%0 = "tensor.from_elements"(%x, %z) : (index, index) -> tensor<2xindex>
%1 = "arith.constant"() <{value = dense<[4, 6]> : tensor<2xi32>}> : () -> tensor<2xi32>
%2 = "tensor.reshape"(%a, %0) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
%3 = "tensor.reshape"(%2, %1) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
"func.return"() : () -> ()"""
    )


def test_sizes_that_two_values_share_are_not_ranks() -> None:
    """In a gather of rows, the result size is the number of indices, not a rank."""
    (text,) = dropped(
        '%0 = "t.gather"(%a, %i) : (tensor<7x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>',
        "%a: tensor<7x5xf32>, %i: tensor<2xi32>",
        5,
    )
    assert "(tensor<7xf32>, tensor<2xi32>) -> tensor<2xf32>" in text


def test_ranks_of_unverified_shapes_are_ignored() -> None:
    texts = dropped(
        '%0 = "t.t"(%a, %i) : (!torch.vtensor<[7,5],f32>, tensor<2xi32>) -> '
        "!torch.vtensor<[7,5],f32>",
        "%a: !torch.vtensor<[7,5],f32>, %i: tensor<2xi32>",
        5,
    )
    assert len(texts) == 1


def test_a_constant_that_numbers_no_later_dim_stays() -> None:
    text = function(
        """\
%0 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
%1 = "torch.aten.softmax.int"(%a, %0) : (!torch.vtensor<[?,5],f32>, !torch.int) -> \
!torch.vtensor<[?,5],f32>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[?,5],f32>",
    )
    (as_it_is,) = DropDims().of(Module.parse(text)).texts({1: DROPPED})
    assert "value = 1" in as_it_is


def test_the_last_op_of_a_module_may_have_indices() -> None:
    """Nothing has to end such a block, so it passes nothing on."""
    text = (
        '"builtin.module"() ({\n'
        '  %0:2 = "t.make"() : () -> (memref<3x5xf32>, index)\n'
        '  "t.store"(%0#0, %0#1, %0#1) : (memref<3x5xf32>, index, index) -> ()\n'
        "}) : () -> ()\n"
    )
    (after,) = DropDims().of(Module.parse(text)).texts({0: DROPPED})
    assert '"t.store"(%0#0, %0#1) : (memref<5xf32>, index) -> ()' in after
