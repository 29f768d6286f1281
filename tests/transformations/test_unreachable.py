"""Dropping unreachable blocks."""

from reducer.ir import Module
from reducer.transformations.unreachable import DropUnreachableBlocks
from tests.support.sides import apply_to, body_of, function

TEXT = function(
    """
    %0 = "t.zero"() : () -> i32
    "cf.br"()[^bb4] : () -> ()
    ^bb1(%1: i32):  // pred: ^bb2
    %2 = "t.one"(%1) : (i32) -> i32
    "cf.br"(%2)[^bb1] : (i32) -> ()
    ^bb2:  // no predecessors
    "t.two"(%0) : (i32) -> ()
    "cf.br"(%0)[^bb1] : (i32) -> ()
    ^bb3:  // no predecessors
    "t.three"() : () -> ()
    "cf.br"()[^bb4] : () -> ()
    ^bb4:  // 2 preds: ^bb0, ^bb3
    "func.return"() : () -> ()
    """
)


def test_all_of_them() -> None:
    assert (
        body_of(apply_to(DropUnreachableBlocks(), TEXT))
        == """\
%0 = "t.zero"() : () -> i32
"cf.br"()[^bb4] : () -> ()
^bb4:  // 2 preds: ^bb0, ^bb3
"func.return"() : () -> ()"""
    )


def test_a_block_goes_with_those_that_branch_to_it() -> None:
    after = apply_to(DropUnreachableBlocks(), TEXT, 0)
    assert "t.one" not in after
    assert "t.two" not in after
    assert "t.three" in after
    alone = apply_to(DropUnreachableBlocks(), TEXT, 2)
    assert "t.one" in alone
    assert "t.two" in alone
    assert "t.three" not in alone


def test_no_block_when_all_are_reached() -> None:
    after = apply_to(DropUnreachableBlocks(), TEXT)
    assert DropUnreachableBlocks().sites(Module.parse(after)) == []
