"""Pass and ops of a crash in LLVM's real `mlir-opt`."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.explain.locator import FailureLocation, Locator
from tests.support.opt_tools import INVALID, find_opt

CRASH = (Path(__file__).parents[2] / "corpus" / "opt" / "mlir-205228.mlir").read_text()
PASSES = ("-symbol-dce", "-buffer-deallocation-simplification", "-cse")


LAST, BREAKING = "convert-math-to-libm", "test-pdl-bytecode-pass"
RULED = """\
func.func @f(%a: f80) -> f80 {
  %0 = math.sin %a : f80
  return %0 : f80
}
"""


def locate(text: str, *words: str) -> FailureLocation:
    opt = find_opt()
    command = Command.parse([opt.name, *(words or PASSES)])
    return Locator(text, CompilerOracle(command, opt, limits=Limits(60.0)), opt, print).run()


def among(*others: str, at: int = 1) -> str:
    """The crashing program with more ops before one of its lines."""
    lines = CRASH.splitlines()
    return "\n".join([*lines[:at], *others, *lines[at:], ""])


def test_ops_all_over_a_program_are_found_among_others() -> None:
    chain = [f"  %h{n + 1} = arith.addi %h{n}, %h{n} : i1" for n in range(30)]
    finding = locate(among("  %h0 = arith.constant true", *chain, at=5))
    assert finding.confirmed == "yes"
    assert finding.alone <= 20
    assert "bufferization.dealloc" in [one.name for one in finding.suspects]
    assert finding.pass_name == "buffer-deallocation-simplification"


def test_the_pass_is_found_even_if_the_ops_are_not() -> None:
    constants = [f"  %h{n} = arith.constant {n} : i32" for n in range(400)]
    finding = locate(among(*constants, at=5))
    assert finding.confirmed == "no"
    assert finding.pass_name == "buffer-deallocation-simplification"


def test_all_runs_count() -> None:
    """The search for the rewrite has runs of its own."""
    finding = locate(CRASH)
    assert finding.rewrite is not None
    assert finding.cost.calls > finding.rewrite.runs > 6


BROKEN = """\
module attributes {transform.with_named_sequence} {
  func.func @f(%a: i32, %b: i32) -> i1 {
    %0 = arith.cmpi slt, %a, %b : i32
    return %0 : i1
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    %c = transform.structured.match ops{["arith.cmpi"]} in %m
        : (!transform.any_op) -> !transform.any_op
    %p = transform.param.constant "x" -> !transform.any_param
    transform.annotate %c "predicate" = %p : !transform.any_op, !transform.any_param
    transform.yield
  }
}
"""
"""Its schedule makes a comparison that the verifier rejects."""
SCHEDULE, CRASHING = "transform-interpreter", "buffer-deallocation-simplification"
BOTH = BROKEN.replace("  transform.named", f"{CRASH}  transform.named", 1)


@pytest.mark.parametrize(
    ("text", "passes", "name", "last"),
    [
        (INVALID, f"cse {BREAKING} arith-expand {LAST}", BREAKING, LAST),
        (INVALID, f"{BREAKING} {LAST}", BREAKING, LAST),
        # What the pass gets breaks no rule: it is a conversion that is not there.
        (RULED, f"cse canonicalize {LAST}", LAST, LAST),
        # A crash on what is wrong: it needs the pass that breaks it.
        (BROKEN, f"{SCHEDULE} cse int-range-optimizations", SCHEDULE, "int-range-optimizations"),
        # What is broken there has nothing to do with what fails.
        (BOTH, f"{SCHEDULE} cse {CRASHING}", CRASHING, CRASHING),
    ],
)
def test_a_pass_that_gets_broken_ir_is_not_at_fault(
    text: str, passes: str, name: str, last: str
) -> None:
    flags = ("--allow-unregistered-dialect", "--verify-each=0")
    finding = locate(text, *flags, *(f"--{one}" for one in passes.split()))
    (blame,) = (one for one in finding.blames if one.kind == "pass")
    assert (blame.name, blame.certainty, finding.pass_name) == (name, "shown", last)


def test_the_rewrite_is_that_of_the_pass_that_breaks_the_ir() -> None:
    """Another pattern, of another pass, crashes on it."""
    text = """\
func.func @f(%a: index, %i: index) -> f32 {
  %0 = memref.alloc(%a) : memref<?x4xf32>
  %c = memref.load %0[%i, %i] : memref<?x4xf32>
  return %c : f32
}
"""
    passes = ("canonicalize", "flatten-memref", "cse", "finalize-memref-to-llvm")
    finding = locate(text, "--verify-each=0", *(f"--{one}" for one in passes))
    assert finding.rewrite is not None
    assert finding.rewrite.pattern == "MemRefRewritePattern<mlir::memref::AllocOp>"
    assert finding.rewrite.blame.certainty == "shown"
