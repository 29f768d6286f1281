"""Dropping operands that an op passes to its regions."""

from reducer.ir import Module
from tests.support.sides import TIED, apply_to, body_of, function

TEXT = function(
    """
    %0 = "t.if"(%c, %a, %b) ({
    ^bb0(%1: i32, %2: i32):
      "t.yield"(%1) : (i32) -> ()
    }, {
    ^bb0(%3: i32, %4: i32):
      "t.yield"(%4) : (i32) -> ()
    }) : (i1, i32, i32) -> i32
    "func.return"() : () -> ()
    """,
    arguments="%c: i1, %a: i32, %b: i32",
)


def test_another_argument_takes_its_place() -> None:
    assert len(TIED["drop operands passed to regions"].sites(Module.parse(TEXT))) == 2
    assert (
        body_of(apply_to(TIED["drop operands passed to regions"], TEXT, 1))
        == """\
^bb0(%c: i1, %a: i32, %b: i32):
%0 = "t.if"(%c, %a) ({
^bb0(%1: i32):
  "t.yield"(%1) : (i32) -> ()
}, {
^bb0(%3: i32):
  "t.yield"(%3) : (i32) -> ()
}) : (i1, i32) -> i32
"func.return"() : () -> ()"""
    )


def test_not_a_used_argument_without_another_of_its_type() -> None:
    text = TEXT.replace("%4: i32", "%4: f32").replace("%2: i32", "%2: f32")
    text = text.replace("%b: i32", "%b: f32").replace("(i1, i32, i32)", "(i1, i32, f32)")
    text = text.replace("(%4) : (i32)", "(%4) : (f32)")
    assert TIED["drop operands passed to regions"].sites(Module.parse(text)) == []


def test_not_operands_of_other_types() -> None:
    text = TEXT.replace("%1: i32, %2: i32", "%1: i32, %2: index")
    assert TIED["drop operands passed to regions"].sites(Module.parse(text)) == []
