"""Dropping block arguments."""

from reducer.ir import Module
from tests.support.sides import TIED, apply_to, body_of, function

TEXT = function(
    """
    "cf.cond_br"(%c, %a, %b, %b, %a)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 2>}> : (i1, i32, f32, f32, i32) -> ()
    ^bb1(%0: i32, %1: f32):  // 2 preds: ^bb0, ^bb2
    "t.use"(%0) : (i32) -> ()
    "func.return"() : () -> ()
    ^bb2(%2: f32, %3: i32):  // pred: ^bb0
    %4 = "t.make"(%2) : (f32) -> i32
    "cf.br"(%4, %b)[^bb1] : (i32, f32) -> ()
    """,  # noqa: E501
    arguments="%c: i1, %a: i32, %b: f32",
)


def test_unused_ones_and_ones_that_are_always_the_same() -> None:
    module = Module.parse(TEXT)
    tokens = [module.tokens[site.number] for site in TIED["drop block arguments"].sites(module)]
    assert tokens == ["%1", "%2", "%3"]
    assert (
        body_of(apply_to(TIED["drop block arguments"], TEXT))
        == """\
^bb0(%c: i1, %a: i32, %b: f32):
"cf.cond_br"(%c, %a)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
^bb1(%0: i32):  // 2 preds: ^bb0, ^bb2
"t.use"(%0) : (i32) -> ()
"func.return"() : () -> ()
^bb2:  // pred: ^bb0
%4 = "t.make"(%b) : (f32) -> i32
"cf.br"(%4)[^bb1] : (i32) -> ()"""
    )


def test_one_alone() -> None:
    after = body_of(apply_to(TIED["drop block arguments"], TEXT, 2))
    assert "array<i32: 1, 2, 1>" in after
    assert "^bb2(%2: f32):" in after


def test_an_argument_that_a_loop_passes_to_itself() -> None:
    text = function(
        """
        "cf.br"(%a)[^bb1] : (i32) -> ()
        ^bb1(%0: i32):  // 2 preds: ^bb0, ^bb1
        "t.use"(%0) : (i32) -> ()
        "cf.br"(%0)[^bb1] : (i32) -> ()
        """,
        arguments="%a: i32",
    )
    after = body_of(apply_to(TIED["drop block arguments"], text))
    assert '"t.use"(%a)' in after
    assert after.count('"cf.br"()[^bb1] : () -> ()') == 2


def test_a_value_of_the_block_itself_cannot_stand_for_its_argument() -> None:
    """Nothing enters the block but its own end, so that %1 is all that is passed for %0."""
    text = function(
        """
        "func.return"() : () -> ()
        ^bb1(%0: i32):  // pred: ^bb1
        %1 = "t.make"(%0) : (i32) -> i32
        "cf.br"(%1)[^bb1] : (i32) -> ()
        """
    )
    assert TIED["drop block arguments"].sites(Module.parse(text)) == []
