"""Pass and ops of a crash in LLVM's real `mlir-opt`."""

from collections.abc import Sequence
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


@pytest.mark.parametrize(
    ("text", "passes", "name", "certainty"),
    [
        (INVALID, ("cse", "test-pdl-bytecode-pass", "arith-expand"), BREAKING, "shown"),
        (INVALID, ("test-pdl-bytecode-pass",), BREAKING, "shown"),
        # What the pass gets breaks no rule: it is a conversion that is not there.
        (RULED, ("cse", "canonicalize"), "convert-math-to-libm", "shown"),
    ],
)
def test_a_pass_that_gets_broken_ir_is_not_at_fault(
    text: str, passes: Sequence[str], name: str, certainty: str
) -> None:
    flags = ("--allow-unregistered-dialect", "--verify-each=0")
    finding = locate(text, *flags, *(f"--{one}" for one in (*passes, LAST)))
    (blame,) = (one for one in finding.blames if one.kind == "pass")
    assert (blame.name, blame.certainty, finding.pass_name) == (name, certainty, LAST)
