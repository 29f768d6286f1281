"""Drop single targets of branches that choose between several."""

import pytest

from reducer.ir import Module
from reducer.transformations.branch_targets import DropBranchTargets
from tests.support.sides import apply_to, body_of, function

BLOCKS = """
^bb1(%b: i64):
  "t.end"() : () -> ()
^bb2:
  "t.end"() : () -> ()
^bb3:
  "t.end"() : () -> ()
"""


def branching(line: str) -> str:
    return function(f"{line}\n{BLOCKS}", arguments="%arg0: i32, %arg1: i64")


@pytest.mark.parametrize(
    ("number", "before", "after"),
    [
        pytest.param(
            0,
            '"fir.select_type"(%arg0)[^bb1, ^bb2, ^bb3] '
            "<{operandSegmentSizes = array<i32: 1, 0, 1>}> "
            "{case_tags = [#fir.type_is<i32>, #fir.class_is<!fir.type<_QTt{x:i32}>>, unit], "
            "target_operand_offsets = array<i32: 0, 0, 0>} : (i32) -> ()",
            '"fir.select_type"(%arg0)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 0, 1>}> '
            "{case_tags = [#fir.class_is<!fir.type<_QTt{x:i32}>>, unit], "
            "target_operand_offsets = array<i32: 0, 0>} : (i32) -> ()",
            id="an item per target",
        ),
        pytest.param(
            0,
            '"fir.select_case"(%arg0, %arg0, %arg0, %arg0, %arg1)[^bb1, ^bb2, ^bb3] '
            "<{operandSegmentSizes = array<i32: 1, 3, 1>}> "
            "{case_tags = [#fir.interval, #fir.point, unit], "
            "compare_operand_offsets = array<i32: 2, 1, 0>, "
            "target_operand_offsets = array<i32: 1, 0, 0>} : (i32, i32, i32, i32, i64) -> ()",
            '"fir.select_case"(%arg0, %arg0)[^bb2, ^bb3] '
            "<{operandSegmentSizes = array<i32: 1, 1, 0>}> "
            "{case_tags = [#fir.point, unit], "
            "compare_operand_offsets = array<i32: 1, 0>, "
            "target_operand_offsets = array<i32: 0, 0>} : (i32, i32) -> ()",
            id="two kinds of operands",
        ),
        pytest.param(
            2,
            '"cf.switch"(%arg0, %arg1, %arg1)[^bb1, ^bb2, ^bb1] '
            "<{case_operand_segments = array<i32: 0, 1>, "
            "case_values = dense<[42, 43]> : vector<2xi32>, "
            "operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i64, i64) -> ()",
            '"cf.switch"(%arg0, %arg1)[^bb1, ^bb2] '
            "<{case_operand_segments = array<i32: 0>, case_values = dense<[42]> : vector<1xi32>, "
            "operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i64) -> ()",
            id="the first is the default",
        ),
        pytest.param(
            1,
            '"t.switch"(%arg0)[^bb1, ^bb2, ^bb3] {values = dense<7> : vector<3xi32>} : (i32) -> ()',
            '"t.switch"(%arg0)[^bb1, ^bb3] {values = dense<[7, 7]> : vector<2xi32>} : (i32) -> ()',
            id="a splat, and no operands",
        ),
    ],
)
def test_a_target_goes_with_all_that_belongs_to_it(number: int, before: str, after: str) -> None:
    text = branching(before)
    drop = DropBranchTargets()
    module = Module.parse(text)
    site = next(site for site in drop.sites(module) if site.number == number)
    changed = drop.apply(module, [site])
    assert changed is not None
    Module.parse(changed)
    assert body_of(changed).splitlines()[1].strip() == after


def test_two_targets_and_the_default_stay() -> None:
    text = branching(
        '"cf.switch"(%arg0)[^bb2, ^bb3, ^bb2, ^bb3] <{case_operand_segments = array<i32: 0, 0, 0>, '
        "case_values = dense<[1, 2, 3]> : vector<3xi32>, "
        "operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()"
    )
    module = Module.parse(text)
    sites = DropBranchTargets().sites(module)
    assert [site.number for site in sites] == [1, 2, 3]
    changed = body_of(apply_to(DropBranchTargets(), text))
    assert (
        "[^bb2, ^bb3] <{case_operand_segments = array<i32: 0>, case_values = dense<[3]>" in changed
    )
    assert not DropBranchTargets().sites(Module.parse(apply_to(DropBranchTargets(), text)))


def test_branches_without_lists_are_left_alone() -> None:
    text = branching('"t.branch"(%arg0)[^bb2, ^bb3, ^bb2] {a = [1]} : (i32) -> ()')
    assert not DropBranchTargets().sites(Module.parse(text))


@pytest.mark.parametrize("weights", ["array<i32: 1, 2>", "[1 : i32, 2 : i32]"])
@pytest.mark.parametrize(
    "branch",
    [
        '"cf.cond_br"(%arg0, %arg1, %arg1)[^bb1, ^bb1] '
        "<{{branch_weights = {}, operandSegmentSizes = array<i32: 1, 1, 1>}}> "
        ": (i32, i64, i64) -> ()",
        '"cf.cond_br"(%arg0)[^bb2, ^bb3] '
        "<{{branch_weights = {}, operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i32) -> ()",
    ],
)
def test_a_branch_with_a_segment_per_target_keeps_its_targets(branch: str, weights: str) -> None:
    text = branching(branch.format(weights))
    assert not DropBranchTargets().sites(Module.parse(text))
