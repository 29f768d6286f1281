"""Rewrites compared on all inputs of small widths, by LLVM's real `mlir-opt`."""

import pytest

from oracles import Command, CompilerOracle, Limits, Signature
from oracles.signature.kind import Kind
from reducer.locate.applications import limited
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import RewriteSearch
from reducer.miscompile.interpreter.answers import EncodedResult, Evaluation
from reducer.miscompile.interpreter.exhaustive import is_refined
from reducer.miscompile.locate.small_widths import prove
from tests.support.opt_tools import find_opt

RIGHT = """func.func @f(%a: i16) -> i16 {
  %c = arith.constant 301 : i16
  %0 = arith.addi %a, %c : i16
  %1 = arith.addi %0, %c : i16
  return %1 : i16
}
"""
WRONG = RIGHT.replace("%1 = arith.addi", "%1 = arith.subi")
ZERO = Evaluation([EncodedResult("f64", "d", bytes(8))])


def proof(before: str, after: str) -> str:
    """What is said of a rewrite of one program into another by `AddIAddConstant`."""
    opt = find_opt()
    tool = OptTool(opt, limits=Limits(60.0), calls=50, seconds=100)
    oracle = CompilerOracle(Command.parse([opt.name, "--canonicalize"]), opt, limits=tool.limits)
    target = Signature(Kind.MISCOMPILE)
    search = RewriteSearch(oracle, before, target, lambda command, text: None, tool)
    made = after or search.made(limited(oracle.command, 100))
    return prove(search, BlamedRewrite(pattern="AddIAddConstant", before=before, after=made))


def test_a_right_rewrite_has_no_counterexample() -> None:
    told = proof(RIGHT, "")
    assert told == "no counterexample at i1, i2, i3, i4; this says nothing about wider types"


def test_a_wrong_one_has() -> None:
    assert proof(RIGHT, WRONG) == "@f(i16 0) gives 602 before, 0 after"


@pytest.mark.parametrize(
    ("before", "after", "refined"),
    [
        (Evaluation(undefined="x"), Evaluation([EncodedResult("i8", "q", bytes(8))]), True),
        (Evaluation([EncodedResult("i8", "q", bytes(8))]), Evaluation(undefined="x"), False),
        (
            Evaluation([EncodedResult("i8", "q", bytes(8), b"\0")]),
            Evaluation([EncodedResult("i8", "q", b"1" * 8)]),
            True,
        ),
        (
            Evaluation([EncodedResult("i8", "q", bytes(8))]),
            Evaluation([EncodedResult("i8", "q", bytes(8), b"\0")]),
            False,
        ),
        (ZERO, Evaluation([EncodedResult("f64", "d", bytes(7) + b"\x80")]), False),
    ],
)
def test_poison_and_undefined_behavior_may_become_anything(
    before: Evaluation, after: Evaluation, refined: bool
) -> None:
    assert is_refined(before, after) is refined
