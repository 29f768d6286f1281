"""Pass and ops of a crash in LLVM's real `mlir-opt`."""

from pathlib import Path

from oracles import Command, CompilerOracle, Limits
from reducer.explain.locator import FailureLocation, Locator
from tests.support.opt_tools import find_opt

CRASH = (Path(__file__).parents[2] / "corpus" / "opt" / "mlir-205228.mlir").read_text()
PASSES = ("-symbol-dce", "-buffer-deallocation-simplification", "-cse")


def locate(text: str) -> FailureLocation:
    opt = find_opt()
    command = Command.parse([opt.name, *PASSES])
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
