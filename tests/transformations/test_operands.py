"""Dropping operands."""

from reducer.ir import Module
from reducer.transformations.operands import DropOperands
from tests.support.sides import apply_to, body_of, function


def names(text: str) -> list[tuple[str, int]]:
    module = Module.parse(text)
    return [(module.t.name[site.op], site.number) for site in DropOperands().sites(module)]


def test_elements_of_lists() -> None:
    text = function(
        """
        %0 = "torch.prim.ListConstruct"(%arg0, %arg0) : (i32, i32) -> !t.list
        "t.use"(%0, %arg0) : (!t.list, i32) -> ()
        "func.return"() : () -> ()
        """,
        arguments="%arg0: i32",
    )
    assert names(text) == [("torch.prim.ListConstruct", 0), ("torch.prim.ListConstruct", 1)]
    after = apply_to(DropOperands(), text, 1)
    assert '"torch.prim.ListConstruct"(%arg0) : (i32) -> !t.list' in after
    assert apply_to(DropOperands(), text) == after, "one is left, whatever is asked for"


def test_optional_operands() -> None:
    text = function(
        """
        "t.op"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (i32, f32) -> ()
        "func.return"() : () -> ()
        """,
        arguments="%arg0: i32, %arg1: f32",
    )
    assert (
        body_of(apply_to(DropOperands(), text, 1))
        == """\
^bb0(%arg0: i32, %arg1: f32):
"t.op"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
"func.return"() : () -> ()"""
    )


def test_operands_of_a_dispatch_and_its_body() -> None:
    text = function(
        """
        %0 = "t.dispatch"(%arg0, %arg1, %arg1) <{operandSegmentSizes = array<i32: 1, 2>}> ({
        ^bb0(%arg2: !t.in, %arg3: !t.in, %arg4: !t.out):
          "t.use"(%arg3, %arg4) : (!t.in, !t.out) -> ()
          "t.return"() : () -> ()
        }) : (index, f32, f32) -> f32
        "func.return"(%0) : (f32) -> ()
        """,
        arguments="%arg0: index, %arg1: f32",
        results="f32",
    )
    # Not the last: its argument is used.
    assert names(text) == [("t.dispatch", 0), ("t.dispatch", 1)]
    after = body_of(apply_to(DropOperands(), text, 1))
    assert '"t.dispatch"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}>' in after
    assert "^bb0(%arg3: !t.in, %arg4: !t.out):" in after


def test_operands_that_hold_dynamic_sizes_stay() -> None:
    text = function(
        """
        %0 = "t.pack"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>, \
static_inner_tiles = array<i64: 1, -9223372036854775808>}> : (f32, index) -> f32
        "func.return"() : () -> ()
        """,
        arguments="%arg0: f32, %arg1: index",
    )
    assert names(text) == []
