"""Dropping operands."""

import pytest

from reducer.ir import Module
from reducer.transformations.operands import LISTS
from tests.support.sides import TIED, apply_to, body_of, function


def names(text: str) -> list[tuple[str, int]]:
    module = Module.parse(text)
    return [(module.t.name[site.op], site.number) for site in TIED["drop operands"].sites(module)]


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
    after = apply_to(TIED["drop operands"], text, 1)
    assert '"torch.prim.ListConstruct"(%arg0) : (i32) -> !t.list' in after
    assert apply_to(TIED["drop operands"], text) == after, "one is left, whatever is asked for"


def test_optional_operands() -> None:
    text = function(
        """
        "t.op"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (i32, f32) -> ()
        "func.return"() : () -> ()
        """,
        arguments="%arg0: i32, %arg1: f32",
    )
    assert (
        body_of(apply_to(TIED["drop operands"], text, 1))
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
    after = body_of(apply_to(TIED["drop operands"], text, 1))
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


WORKSHARING = """
"omp.wsloop"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 1>, \
private_syms = [@p], reduction_byref = array<i1: false>, reduction_syms = [@r]}> ({
^bb0(%arg3: !t.ref, %arg4: !t.ref):
  "t.use"(%arg3) : (!t.ref) -> ()
  "omp.yield"() : () -> ()
}) : (!t.ref, !t.ref, i32) -> ()
"func.return"() : () -> ()
"""


def test_an_operand_goes_with_its_argument_and_its_items() -> None:
    """Each clause has a segment; all share the region, and each has lists of its own."""
    text = function(WORKSHARING, arguments="%arg0: !t.ref, %arg1: !t.ref, %arg2: i32")
    sites = TIED["drop operands"].sites(Module.parse(text))
    assert [(site.number, site.name) for site in sites] == [
        (0, ""),
        (0, LISTS),
        (1, ""),
        (1, LISTS),
        (2, ""),
    ]
    assert (
        body_of(apply_to(TIED["drop operands"], text, 3)).splitlines()[1:3]
        == """\
"omp.wsloop"(%arg0, %arg2) <{operandSegmentSizes = array<i32: 1, 0, 1>, private_syms = [@p]}> ({
^bb0(%arg3: !t.ref):""".splitlines()
    )


def test_the_operand_takes_the_place_of_its_argument() -> None:
    text = function(WORKSHARING, arguments="%arg0: !t.ref, %arg1: !t.ref, %arg2: i32")
    after = body_of(apply_to(TIED["drop operands"], text, 1)).splitlines()
    assert after[1:4] == [
        '"omp.wsloop"(%arg1, %arg2) <{operandSegmentSizes = array<i32: 0, 1, 1>, '
        "reduction_byref = array<i1: false>, reduction_syms = [@r]}> ({",
        "^bb0(%arg4: !t.ref):",
        '  "t.use"(%arg0) : (!t.ref) -> ()',
    ]
    assert (
        body_of(apply_to(TIED["drop operands"], text)).splitlines()[1:4]
        == """\
"omp.wsloop"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> ({
^bb0:
  "t.use"(%arg0) : (!t.ref) -> ()""".splitlines()
    )


@pytest.mark.parametrize("chosen", [(1, 3), (3, 1)])
def test_an_operand_of_a_nested_op_that_is_an_argument_itself(chosen: tuple[int, ...]) -> None:
    text = function(
        """
        "omp.parallel"(%arg0) <{operandSegmentSizes = array<i32: 1>, private_syms = [@p]}> ({
        ^bb0(%0: !t.ref):
          "omp.wsloop"(%0) <{operandSegmentSizes = array<i32: 1>, private_syms = [@p]}> ({
          ^bb0(%1: !t.ref):
            "t.use"(%1) : (!t.ref) -> ()
            "omp.yield"() : () -> ()
          }) : (!t.ref) -> ()
          "omp.terminator"() : () -> ()
        }) : (!t.ref) -> ()
        "func.return"() : () -> ()
        """,
        arguments="%arg0: !t.ref",
    )
    assert '"t.use"(%arg0)' in apply_to(TIED["drop operands"], text, *chosen)


@pytest.mark.parametrize("mapping", ["", "mapping = [#t.x], "])
def test_what_bounds_an_argument_of_a_loop_goes_with_it(mapping: str) -> None:
    loop = f"""
        "scf.parallel"(%arg0, %arg1, %arg1, %arg0, %arg0, %arg0) <{{{mapping}operandSegmentSizes = \
array<i32: 2, 2, 2, 0>}}> ({{
        ^bb0(%0: index, %1: index):
          "t.use"(%0, %1) : (index, index) -> ()
          "scf.reduce"() : () -> ()
        }}) : (index, index, index, index, index, index) -> ()
        "func.return"() : () -> ()
        """
    text = function(loop, arguments="%arg0: index, %arg1: index")
    assert names(text) == [("scf.parallel", 0), ("scf.parallel", 1)]
    after = apply_to(TIED["drop operands"], text, 1)
    assert '"scf.parallel"(%arg0, %arg1, %arg0)' in after
    assert "array<i32: 1, 1, 1, 0>" in after
    assert "^bb0(%0: index):" in after
    assert '"t.use"(%0, %arg1)' in after
    assert names(after) == [], "a loop keeps one"
