"""`mlir-reducer locate` as a user sees it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracles import Kind, Outcome, Signature
from reducer.asking import Cost
from reducer.cli import main
from reducer.cli.commands.locate import show_wrong_result
from reducer.errors import ExitCode
from reducer.explain.locator import SuspectOp
from reducer.miscompile.locate.finding import CODE_GENERATION, WrongDispatch, WrongResultLocation
from reducer.miscompile.oracle.differential import Mismatch
from reducer.miscompile.oracle.execution import ExecutionResult
from reducer.miscompile.oracle.program_pool import Question
from reducer.miscompile.values.programs import Function
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.opt_tools import find_opt


@pytest.mark.iree
def test_text_and_json(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    case = corpus("cat-zero-width")
    path = case.write_input(tmp_path / "my model.mlir")
    command = [str(iree_toolchain().compile), *case.runs[0].flags]
    words = ["locate", str(path), "--json", str(tmp_path / "out.json"), "--", *command]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "phase       input" in done.stdout
    assert "  my model.mlir:4:9: torch.aten.cat" in done.stdout
    found = json.loads((tmp_path / "out.json").read_text())
    assert {"cpu_seconds", "wall_seconds"} <= found.keys()
    assert found["kind"] == "verifier"
    assert found["culprits"][0]["name"] == "torch.aten.cat"


@pytest.mark.iree
def test_a_tool_without_phases(iree_toolchain: Callable[..., Toolchain], tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text("func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n")
    words = ["locate", str(path), "--", str(iree_toolchain().opt), "--pass-pipeline=func.func(cse)"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "phase" not in done.output
    assert "confirmed   no: none of the parts that were tried fails" in done.stdout


WRONG = """\
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = math.powf %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


@pytest.mark.iree
def test_the_wrong_dispatch_becomes_a_file(tmp_path: Path) -> None:
    path, output = tmp_path / "my model.mlir", tmp_path / "dispatch.mlir"
    path.write_text(WRONG)
    options = ["--wrong-results", "--input=2xf32=-2,3", "--input=2xf32=2,1", "--iree", "3.13.0"]
    words = ["locate", str(path), *options, "--output", str(output)]
    command = ["--", "iree-compile", "--iree-hal-target-backends=llvm-cpu"]
    done = CliRunner().invoke(main, [*words, "--json", str(tmp_path / "out.json"), *command])
    assert done.exit_code == 0, done.output
    assert "phase       code generation" in done.stdout
    assert "(call 1 of 1)" in done.stdout and "confirmed   yes" in done.stdout
    assert "  my model.mlir:2:8: math.powf" in done.stdout
    found = json.loads((tmp_path / "out.json").read_text())
    assert {"cpu_seconds", "wall_seconds"} <= found.keys()
    assert found["program"]["confirmed"] and found["judged"] == 1
    assert found["calls"] > found["compilations"] > 0 and found["full_runs"] > 1
    inputs = (tmp_path / "dispatch.mlir.inputs").read_text().splitlines()
    assert inputs == ["--input=2xf32=-2,3", "--input=2xf32=2,1"]
    run = ["--", "iree-run-module", f"--flagfile={output}.inputs"]
    again = ["check", str(output), *options, *command, *run]
    assert CliRunner().invoke(main, again).exit_code == 0


SIGNATURE = Signature(Kind.MISCOMPILE, "wrong values")


def finding() -> WrongResultLocation:
    question = Question("", Function("f", (), ()), ["2xf32=1 2"])
    case = question.expecting(ExecutionResult())
    mismatch = Mismatch(case, ExecutionResult(), SIGNATURE, "result 0 is wrong, in @f(2xf32=1 2)")
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
        cost=Cost(7, cpu_seconds=2.0),
        full_runs=2.5,
    )


def test_everything_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert show_wrong_result(finding(), "model.mlir", None, None) == ExitCode.REDUCED
    shown = capsys.readouterr().out
    assert "dispatch    f_dispatch_0 (call 3 of 7)" in shown
    assert (
        "judged      6 executions of 7 dispatch calls; no reference can judge f_dispatch_6" in shown
    )
    assert "2.5 times that of compiling and running the input once" in shown
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
