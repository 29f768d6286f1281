"""What belongs to the operand segments of an op."""

import pytest

from reducer.ir import Module
from reducer.transformations.segments import lists_of_segments, passed_segments, surely_passed
from tests.support.sides import function


def op_with(operands: str, types: str, entries: str, arguments: str) -> Module:
    return Module.parse(
        function(
            f"""
            "t.op"({operands}) <{{{entries}}}> ({{
            ^bb0({arguments}):
              "t.yield"() : () -> ()
            }}) : ({types}) -> ()
            "func.return"() : () -> ()
            """,
            arguments="%arg0: !t.ref, %arg1: i32",
        )
    )


SIZES = "operandSegmentSizes = array<i32: "
PRIVATE = "private_syms = [@p]"
REDUCTION = "reduction_byref = array<i1: false>, reduction_syms = [@r]"


@pytest.mark.parametrize(
    ("operands", "types", "entries", "arguments", "passed", "lists"),
    [
        pytest.param(
            "%arg1, %arg0, %arg0",
            "i32, !t.ref, !t.ref",
            f"{SIZES}1, 0, 1, 1>, {PRIVATE}, {REDUCTION}",
            "%a: !t.ref, %b: !t.ref",
            [2, 3],
            {2: ["private_syms"], 3: ["reduction_byref", "reduction_syms"]},
            id="the number of threads comes first",
        ),
        pytest.param(
            "%arg0, %arg0, %arg1",
            "!t.ref, !t.ref, i32",
            f"{SIZES}1, 1, 1>, {PRIVATE}, {REDUCTION}",
            "%a: !t.ref, %b: !t.ref",
            [0, 1],
            {0: ["private_syms"], 1: ["reduction_byref", "reduction_syms"]},
            id="the size of a chunk comes last",
        ),
        pytest.param(
            "%arg0, %arg0, %arg1",
            "!t.ref, !t.ref, i32",
            f"depend_kinds = [1, 2], {SIZES}2, 1>, {PRIVATE}",
            "%a: i32",
            [1],
            {0: ["depend_kinds"], 1: ["private_syms"]},
            id="a list of operands that are not passed",
        ),
        pytest.param(
            "%arg1, %arg0",
            "i32, !t.ref",
            f"{SIZES}1, 1>, {PRIVATE}, sizes = [1, 2, 3]",
            "%a: !t.other, %b: !t.other",
            [],
            {0: ["private_syms"]},
            id="arguments that are none of the operands",
        ),
    ],
)
def test_lists_go_with_segments_in_the_order_of_both(
    operands: str,
    types: str,
    entries: str,
    arguments: str,
    passed: list[int],
    lists: dict[int, list[str]],
) -> None:
    module = op_with(operands, types, entries, arguments)
    op = module.t.name.index("t.op")
    assert list(passed_segments(module, op)) == passed
    found = lists_of_segments(module, op)
    assert {n: [entry.name for entry in found[n]] for n in found} == lists


@pytest.mark.parametrize(
    ("sizes", "entry", "is_sure"),
    [("1, 1", "", True), ("2, 0", "", False), ("2, 0", ", private_syms = [@p, @q]", True)],
)
def test_one_segment_may_be_passed_by_coincidence(sizes: str, entry: str, is_sure: bool) -> None:
    arguments = "%a: !t.ref, %b: !t.ref"
    module = op_with("%arg0, %arg0", "!t.ref, !t.ref", f"{SIZES}{sizes}>{entry}", arguments)
    (op,) = (op for op, name in enumerate(module.t.name) if name == "t.op")
    assert surely_passed(module, op) is is_sure
