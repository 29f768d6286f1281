"""Ranks, and the constants that number dims."""

from reducer.ir import Module
from reducer.ir.sizes import GONE
from reducer.transformations.ranks import DropDims
from tests.support.sides import body_of, function


def test_a_constant_that_numbers_a_later_dim_is_counted_down() -> None:
    text = function(
        """\
%0 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
%1 = "torch.aten.softmax.int"(%a, %0) : (!torch.vtensor<[?,5],f32>, !torch.int) -> \
!torch.vtensor<[?,5],f32>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[?,5],f32>",
    )
    as_it_is, counted = DropDims().of(Module.parse(text)).texts({0: GONE})
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


def test_units_go_first() -> None:
    text = function(
        '"t.use"(%a) : (tensor<4x1xf32>) -> ()\n"func.return"() : () -> ()',
        arguments="%a: tensor<4x1xf32>",
    )
    ranks = DropDims().of(Module.parse(text))
    assert list(ranks.values.items()) == [(1, 1), (0, 4)]
    assert ranks.simpler(0, 4) == [GONE]
    assert ranks.simpler(0, GONE) == []


def test_an_illegal_op_keeps_its_ranks_where_no_verifier_looks() -> None:
    """It may be illegal for its rank as well, and the result would show another bug."""
    torch = function(
        '"torch.sdpa"(%a) : (!torch.vtensor<[2,3],f32>) -> ()\n'
        '"t.use"(%b) : (tensor<5xf32>) -> ()\n'
        '"func.return"() : () -> ()',
        arguments="%a: !torch.vtensor<[2,3],f32>, %b: tensor<5xf32>",
    )
    assert list(DropDims().of(Module.parse(torch)).values.values()) == [2, 3, 5]
    assert list(DropDims("torch.sdpa").of(Module.parse(torch)).values.values()) == [5]
    assert list(DropDims("t.use").of(Module.parse(torch)).values.values()) == [2, 3, 5]
