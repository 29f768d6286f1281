"""`mlir-reducer locate` as a user sees it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli import main
from reducer.toolchain import Toolchain
from tests.support.corpus import Case


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
    assert "confirmed   no: no part of the program that was tried fails by itself" in done.stdout


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
    assert found["program"]["confirmed"] and found["judged"] == 1
    assert found["calls"] > found["compilations"] > 0 and found["full_runs"] > 1
    inputs = (tmp_path / "dispatch.mlir.inputs").read_text().splitlines()
    assert inputs == ["--input=2xf32=-2,3", "--input=2xf32=2,1"]
    again = ["check", str(output), *options, f"--flagfile={output}.inputs", *command]
    assert CliRunner().invoke(main, again).exit_code == 0


def test_an_output_needs_a_wrong_result(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(WRONG)
    done = CliRunner().invoke(main, ["locate", str(path), "-o", str(path), "--", "false"])
    assert done.exit_code == 2 and "--output needs --wrong-results" in done.output
