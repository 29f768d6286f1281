"""From a crash to a report with the tools of other projects, from their packages."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.warm import run_warm
from tests.support.wheels import extracted

FUNCTION = """
func.func @host{n}(%a: tensor<4xf32>, %i: index) -> f32 {{
  %c = arith.constant {n}.5 : f32
  %s = arith.index_cast %i : index to i32
  %f = arith.sitofp %s : i32 to f32
  %x = arith.addf %f, %c : f32
  return %x : f32
}}
"""
EXTRACT = """
func.func @guilty(%a: tensor<f32>, %b: f32) -> f32 {
  %0 = tensor.extract %a[] : tensor<f32>
  %1 = arith.mulf %0, %b : f32
  return %1 : f32
}
"""
UNIT_DIM = """
func.func @guilty(%a: tensor<1x1xf32>) -> tensor<3x1xf32> {
  %0 = tensor.pad %a low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<1x1xf32> to tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "version", "member", "flag", "guilty", "ops"),
    [
        (
            *("torch-mlir", "20261001", "torch_mlir/_mlir_libs/torch-mlir-opt"),
            *("--shape-legalize-to-stablehlo", EXTRACT, 3),
        ),
        (
            *("heir-py", "2026.10.1", "heir/heir-opt"),
            *("--linalg-fold-unit-extent-dims", UNIT_DIM, 5),
        ),
    ],
)
def test_a_crash_ends_in_a_report(
    package: str, version: str, member: str, flag: str, guilty: str, ops: int, tmp_path: Path
) -> None:
    tool = extracted(package, version, member)
    healthy = [FUNCTION.format(n=number) for number in range(40)]
    (tmp_path / "in.mlir").write_text("".join([*healthy[:20], guilty, *healthy[20:]]))
    words = ["reduce", "in.mlir", "-o", "out.mlir", "--json", "out.json", "-q", "--", tool, flag]
    done = run_warm([*map(str, words)], cwd=tmp_path, environment=os.environ, seconds=240)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["status"], found["verified"], found["output"]["ops"]) == ("reduced", True, ops)
    report = tmp_path / "out" / "report"
    empty = {"PATH": f"{tool.parent}{os.pathsep}{os.defpath}"}
    again = subprocess.run(["sh", report / "repro.sh"], env=empty, capture_output=True, text=True)
    assert again.returncode == 0, again.stdout
    title = json.loads((report / "metadata.json").read_text())["title"]
    assert flag.strip("-") in title
