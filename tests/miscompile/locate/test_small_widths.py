"""Rewrites compared on all inputs of small widths, by LLVM's real `mlir-opt`."""

from dataclasses import replace

import pytest

from oracles import Command, CompilerOracle, Limits, Signature
from oracles.signature.kind import Kind
from reducer.locate.applications import limited
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import RewriteSearch
from reducer.miscompile.interpreter.answers import Evaluation
from reducer.miscompile.interpreter.exhaustive import is_refined
from reducer.miscompile.locate.small_widths import prove
from reducer.miscompile.values.programs import Value, ValueType
from tests.support.opt_tools import find_opt

RIGHT = """func.func @f(%a: i16) -> i16 {
  %c = arith.constant 301 : i16
  %0 = arith.addi %a, %c : i16
  %1 = arith.addi %0, %c : i16
  return %1 : i16
}
"""
WRONG = RIGHT.replace("%1 = arith.addi", "%1 = arith.subi")


def answer(number: float, *defined: bool) -> Evaluation:
    return Evaluation([Value(ValueType("i8", None), (number,), defined or None)])


CASTS = """func.func @f(%a: index) -> index {
  %0 = arith.index_cast %a : index to i16
  %1 = arith.index_cast %0 : i16 to index
  return %1 : index
}
"""
ADD = BlamedRewrite(pattern="AddIAddConstant", op="%1 = arith.addi %0, %c301_i16 : i16")
CAST = BlamedRewrite(pattern="IndexCastOfIndexCast", op="%1 = arith.index_cast %0 : i16 to index")


def proof(
    before: str,
    after: str,
    found: BlamedRewrite = ADD,
    inputs: tuple[str, ...] = (),
) -> str:
    """What is said of a rewrite of one program into another by a pattern."""
    opt = find_opt()
    tool = OptTool(opt, limits=Limits(60.0), calls=50, seconds=100)
    oracle = CompilerOracle(Command.parse([opt.name, "--canonicalize"]), opt, limits=tool.limits)
    target = Signature(Kind.MISCOMPILE)
    search = RewriteSearch(oracle, before, target, lambda command, text: None, tool)
    made = after or search.made(limited(oracle.command, 100))
    said = prove(search, replace(found, before=before, after=made), inputs)
    assert tool.cost.calls > search.runs, "comparisons count as well"
    return said


def test_a_right_rewrite_has_no_counterexample() -> None:
    told = proof(RIGHT, "")
    assert told == "no counterexample at i1, i2, i3, i4; this says nothing about wider types"


def test_a_wrong_one_has() -> None:
    assert proof(RIGHT, WRONG) == "@f(i16 0) gives 602 before, 0 after"


def test_a_narrower_rewrite_is_found_by_its_place() -> None:
    """The pattern is tried on the first cast, too, where it changes nothing."""
    assert proof(CASTS, "", CAST) == "at i1, @f(index 1) gives -1 before, 1 after"


def test_nothing_is_said_of_a_width_at_which_nothing_changes() -> None:
    """At a width of 1, the constants are folded away before the pattern is tried."""
    before = RIGHT.replace("301", "0").replace("%1 = arith.addi", "%1 = arith.subi")
    assert proof(before, before) == ""


def test_the_input_that_is_known_to_fail_is_tried_first() -> None:
    told = proof(CASTS, "", CAST, ("32768",))
    assert told == "@f(index 32768) gives -32768 before, 32768 after"


@pytest.mark.parametrize(
    ("before", "after", "refined"),
    [
        (Evaluation(undefined="x"), answer(0), True),
        (answer(0), Evaluation(undefined="x"), False),
        (answer(0, False), answer(1), True),
        (answer(0), answer(0, False), False),
        (answer(0.0), answer(-0.0), False),
    ],
)
def test_poison_and_undefined_behavior_may_become_anything(
    before: Evaluation, after: Evaluation, refined: bool
) -> None:
    assert is_refined(before, after) is refined
