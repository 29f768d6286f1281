"""`repro.sh` of a report on passes that change what a program means; runs LLVM's real tools."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Command
from reducer.cli.request.wrong_results import pipeline_comparison
from reducer.miscompile.evidence import passes_check
from reducer.miscompile.oracle import ValuesOracle
from reducer.miscompile.values.user_inputs import InputSpec
from reducer.report.facts import ReproCheck
from reducer.report.gathering import gather
from reducer.report.repro_script import repro_script
from reducer.report.trying import status_of, try_script
from tests.support.masked import MASKED
from tests.support.opt_tools import find_opt

pytestmark = pytest.mark.usefixtures("one_size")

PROGRAM = """\
func.func @main(%a: i32, %c: i1, %t: tensor<?xf32>, %m: memref<2xi32>) -> (i32, tensor<?xf32>) {
  %one = arith.constant 1 : i32
  %m1 = memref.alloc() : memref<1xi32>
  affine.store %a, %m1[0] : memref<1xi32>
  affine.for %i = 0 to 0 {
    affine.store %one, %m1[0] : memref<1xi32>
  }
  %r = affine.load %m1[0] : memref<1xi32>
  affine.store %r, %m[1] : memref<2xi32>
  return %r, %t : i32, tensor<?xf32>
}
"""
PASS = "--affine-loop-invariant-code-motion"


@pytest.fixture
def oracle() -> ValuesOracle:
    opt = find_opt()
    command = Command.parse([opt.name, "--cse", PASS])
    return ValuesOracle(pipeline_comparison(command, opt, ()), PROGRAM)


def test_the_script_shows_both_and_sees_a_fix(oracle: ValuesOracle, tmp_path: Path) -> None:
    passes = passes_check(oracle.pinned(PROGRAM), PROGRAM)
    assert passes is not None
    (tmp_path / "repro.mlir").write_text(PROGRAM)

    def run(*flags: str) -> subprocess.CompletedProcess[str]:
        check = ReproCheck(("mlir-opt-22", *flags, "repro.mlir"), passes=passes)
        (tmp_path / "repro.sh").write_text(repro_script(check, "wrong values"))
        words = ["sh", "repro.sh"]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    wrong = run(PASS)
    assert wrong.returncode == 0, wrong.stdout
    assert "Without the passes:" in wrong.stdout and "[1]" in wrong.stdout
    right = run("--cse")
    assert (right.returncode, right.stdout) == (
        1, "the program prints the same with and without these passes\n"
    )  # fmt: skip
    assert run("--no-such-pass").returncode == 2


def test_a_report_names_the_pass_and_stands_alone(oracle: ValuesOracle) -> None:
    assert oracle.command is not None
    alone = oracle.with_command(oracle.command.with_flags([PASS]))
    facts = gather(PROGRAM, alone)
    assert facts.command == ("mlir-opt-22", PASS, "repro.mlir")
    assert facts.pass_name == PASS.removeprefix("--")
    assert facts.check.passes is not None
    script = repro_script(facts.check, facts.signature.text)
    files = {"repro.mlir": facts.program.encode(), "repro.sh": script.encode()}
    assert status_of(try_script(files, find_opt(), facts)) == 0


def test_a_report_names_the_first_pass_that_is_wrong(oracle: ValuesOracle) -> None:
    assert oracle.command is not None
    several = oracle.with_command(oracle.command.with_flags(["--cse", PASS, "--lower-affine"]))
    facts = gather(PROGRAM, several)
    assert facts.pass_name == PASS.removeprefix("--")


def test_what_cannot_be_printed_is_left_to_the_comparison(oracle: ValuesOracle) -> None:
    text = PROGRAM.replace("i32", "i4")
    assert passes_check(oracle.pinned(text), text) is None


def test_the_tool_that_lowers_may_be_another_release(oracle: ValuesOracle, tmp_path: Path) -> None:
    """Each release has passes of its own; the one that has the runner knows how to lower."""
    old = find_opt("mlir-opt-19")
    text = """\
func.func @main(%a: index) -> index {
  %0 = affine.apply affine_map<()[s0] -> (((s0 ceildiv 2) * 3 + s0) ceildiv s0)>()[%a]
  return %0 : index
}
"""  # https://github.com/llvm/llvm-project/issues/107508
    command = Command.parse([old.name, "--canonicalize"])
    judge = ValuesOracle(pipeline_comparison(command, old, ()), text)
    facts = gather(text, judge)
    assert facts.check.passes is not None
    assert facts.check.passes.lowerer == "mlir-opt-22"
    script = repro_script(facts.check, facts.signature.text)
    files = {"repro.mlir": facts.program.encode(), "repro.sh": script.encode()}
    assert status_of(try_script(files, old, facts)) == 0


def test_what_is_narrow_is_printed_as_something_wider() -> None:
    old = find_opt("mlir-opt-19")
    text = """\
func.func @main(%a: i8, %b: i8, %t: tensor<2xf16>) -> (i8, i1, tensor<2xf16>) {
  %0 = arith.ceildivsi %a, %b : i8
  %1 = arith.cmpi slt, %0, %b : i8
  return %0, %1, %t : i8, i1, tensor<2xf16>
}
"""
    command = Command.parse([old.name, "--arith-expand"])
    specs = tuple(map(InputSpec.parse, ("-128", "127", "2xf16=1.5 -2")))
    asked = replace(pipeline_comparison(command, old, ()), user_inputs=specs)
    facts = gather(text, ValuesOracle(asked, text))
    assert facts.check.passes is not None
    script = repro_script(facts.check, facts.signature.text)
    files = {"repro.mlir": facts.program.encode(), "repro.sh": script.encode()}
    tried = try_script(files, old, facts)
    assert status_of(tried) == 0


def test_what_is_wrong_without_the_passes_too_is_left_to_the_comparison(
    oracle: ValuesOracle,
) -> None:
    """The runner lowers the program by a pass with the same defect, so it shows no difference."""
    text = MASKED.lstrip()
    opt = find_opt()
    command = Command.parse([opt.name, "--lower-vector-mask"])
    judge = ValuesOracle(pipeline_comparison(command, opt, ()), text)
    assert passes_check(judge.pinned(text), text) is None


def test_vectors_are_passed_and_printed(tmp_path: Path) -> None:
    text = """\
func.func @main(%a: vector<2x2xf32>, %b: memref<1xf32>) -> vector<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 0 {
    affine.store %zero, %b[0] : memref<1xf32>
  }
  %r = affine.load %b[0] : memref<1xf32>
  %v = vector.broadcast %r : f32 to vector<2x2xf32>
  %s = arith.addf %a, %v : vector<2x2xf32>
  return %s : vector<2x2xf32>
}
"""
    opt = find_opt()
    judge = ValuesOracle(pipeline_comparison(Command.parse([opt.name, PASS]), opt, ()), text)
    facts = gather(text, judge)
    assert facts.check.passes is not None
    script = repro_script(facts.check, facts.signature.text)
    files = {"repro.mlir": facts.program.encode(), "repro.sh": script.encode()}
    assert status_of(try_script(files, opt, facts)) == 0
