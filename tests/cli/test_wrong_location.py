"""How the origin of a wrong result is shown."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracles import Kind, Outcome, Signature
from oracles.values.differential import Mismatch
from oracles.values.execution import ExecutionResult
from oracles.values.programs import Function
from oracles.values.workbench import Question
from reducer.cli import main
from reducer.cli.wrong_location import show_wrong_result
from reducer.errors import ExitCode
from reducer.inspection.locator import SuspectOp
from reducer.inspection.wrong_finding import CODE_GENERATION, WrongDispatch, WrongResultLocation
from tests.support.opt_tools import find_opt

SIGNATURE = Signature(Kind.MISCOMPILE, "wrong values")


def finding() -> WrongResultLocation:
    question = Question("", Function("f", (), ()), ["2xf32=1 2"])
    case = question.expecting(ExecutionResult())
    mismatch = Mismatch(case, ExecutionResult(), SIGNATURE, "@f(2xf32=1 2): result 0 is wrong")
    outcome = Outcome(
        kind=Kind.MISCOMPILE,
        signature=SIGNATURE,
        exit_code=0,
        seconds=1.0,
        cpu_seconds=1.0,
        peak_memory=0,
    )
    text = "func.func @f_dispatch_0() {\n  return\n}\n"
    dispatch = WrongDispatch("f_dispatch_0", 3, text, ("2xf32=1 2",), "it differs", "it", True)
    return WrongResultLocation(
        mismatch,
        outcome,
        phase=CODE_GENERATION,
        how="it is wrong",
        sure=True,
        dispatch=dispatch,
        suspects=[SuspectOp("math.absf", ("input.mlir", 2, 8))],
        dispatches=7,
        judged=6,
        unjudged=["f_dispatch_6"],
        compilations=3,
        executions=4,
        compiler_seconds=2.0,
        full_runs=2.5,
    )


def test_everything_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert show_wrong_result(finding(), "model.mlir", None, None) == ExitCode.REDUCED
    shown = capsys.readouterr().out
    assert "dispatch    f_dispatch_0 (call 3 of 7)" in shown
    assert "judged      6 executions of 7 dispatch calls; no reference knows f_dispatch_6" in shown
    assert "2.5 times that of the command itself" in shown
    assert "  model.mlir:2:8: math.absf" in shown
    assert "// --input=2xf32=1 2\nfunc.func @f_dispatch_0()" in shown


def test_a_dispute_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    found = finding()
    found.sure, found.dispute = False, "all compilers agree"
    assert show_wrong_result(found, "model.mlir", None, "-") == ExitCode.CANNOT_JUDGE
    answer = json.loads(capsys.readouterr().out)
    assert answer["sure"] is False and answer["dispute"] == "all compilers agree"


def test_the_dispatch_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "wrong.mlir"
    show_wrong_result(finding(), "model.mlir", output, None)
    assert output.read_text().startswith("func.func @f_dispatch_0()")
    assert (tmp_path / "wrong.mlir.inputs").read_text() == "--input=2xf32=1 2\n"
    assert f"wrote {output}" in capsys.readouterr().out


def test_the_pass_of_an_opt_tool(tmp_path: Path) -> None:
    source = tmp_path / "a.mlir"
    source.write_text("""
      func.func @f(%a: i32, %b: i32) -> i32 {
        %m = memref.alloc() : memref<1xi32>
        affine.store %a, %m[0] : memref<1xi32>
        affine.for %i = 0 to 0 {
          affine.store %b, %m[0] : memref<1xi32>
        }
        %r = affine.load %m[0] : memref<1xi32>
        return %r : i32
      }""")
    passes = ["-cse", "-affine-loop-invariant-code-motion", "-canonicalize", "-lower-affine"]
    words = ["locate", str(source), "--wrong-results", "--json", "-", "--input=1", "--input=2"]
    done = CliRunner().invoke(main, [*words, "--", find_opt().name, *passes])
    found = json.loads(done.stdout)
    assert found["phase"] == "the pass affine-loop-invariant-code-motion"
    assert found["sure"] is True
