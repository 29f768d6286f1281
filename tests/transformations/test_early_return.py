"""Returning early."""

from reducer.ir import Module
from reducer.transformations.early_return import ReturnEarly
from tests.support.sides import apply_to, body_of, function
from tests.transformations.test_branches import BRANCH, LOOP, UNFINISHED


def test_return_instead_of_looping() -> None:
    """No branch leads back any more, so that the first two blocks become one."""
    assert body_of(apply_to(ReturnEarly(), LOOP, 2)) == (
        "^bb0(%c: i1):\n"
        '"llvm.cond_br"(%c)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 0, 0>}> '
        ": (i1) -> ()\n"
        "^bb2:  // pred: ^bb1\n"
        '"t.body"() : () -> ()\n'
        '"func.return"() : () -> ()\n'
        "^bb3:  // pred: ^bb1\n"
        '"func.return"() : () -> ()'
    )


def test_return_at_once() -> None:
    assert body_of(apply_to(ReturnEarly(), LOOP)) == '^bb0(%c: i1):\n"func.return"() : () -> ()'


def test_another_value_of_the_type_is_returned() -> None:
    """The last block returns its own argument, which the branches before cannot use."""
    after = body_of(apply_to(ReturnEarly(), BRANCH))
    assert after == '^bb0(%c: i1, %a: i32, %b: i32):\n"func.return"(%a) : (i32) -> ()'


def test_what_a_branch_passes_on_is_returned_first() -> None:
    after = body_of(apply_to(ReturnEarly(), BRANCH, 1))
    assert '%1 = "t.one"(%0) : (i32) -> i32\n"func.return"(%1) : (i32) -> ()' in after


def test_a_value_of_the_first_block_is_returned_as_it_is() -> None:
    text = BRANCH.replace('"func.return"(%4)', '"func.return"(%b)')
    after = body_of(apply_to(ReturnEarly(), text))
    assert after == '^bb0(%c: i1, %a: i32, %b: i32):\n"func.return"(%b) : (i32) -> ()'


def test_no_return_without_a_value_of_the_type() -> None:
    text = function(
        """
        "cf.br"()[^bb1] : () -> ()
        ^bb1:  // pred: ^bb0
        %0 = "t.one"() : () -> i32
        "func.return"(%0) : (i32) -> ()
        """,
        results="i32",
    )
    assert ReturnEarly().sites(Module.parse(text)) == []


def test_return_instead_of_a_jump_to_a_block_without_ops() -> None:
    after = body_of(apply_to(ReturnEarly(), UNFINISHED))
    assert after == '^bb0(%c: i1):\n"func.return"() : () -> ()'


def test_a_loop_without_an_end_gets_a_return() -> None:
    text = function(
        """
        "cf.br"()[^bb1] : () -> ()
        ^bb1:  // 2 preds: ^bb0, ^bb1
        %0 = "t.body"() : () -> i32
        "cf.br"()[^bb1] : () -> ()
        """,
        results="i32",
    )
    after = body_of(apply_to(ReturnEarly(), text, 0))
    assert after == '%0 = "t.body"() : () -> i32\n"func.return"(%0) : (i32) -> ()'
