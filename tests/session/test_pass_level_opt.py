"""The second reproducer when the command is a `…-opt` tool itself."""

import threading
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.inspection.locator import Locator
from reducer.session.pass_level import reduce_pass_level
from reducer.session.pass_report import PassReport
from reducer.storage.result_folder import ResultFolder
from tests.support.opt_tools import find_opt
from tests.support.silent import Silent

LIMITS = Limits(seconds=60, memory=8 << 30)

EXPAND = """\
func.func @f(%m: memref<?xf32>, %n: index) -> memref<?x?xf32> {
  %0 = memref.expand_shape %m [[0, 1]] output_shape [%n, %n] : memref<?xf32> into memref<?x?xf32>
  return %0 : memref<?x?xf32>
}
"""
SPARSE = """\
#sparse = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed, j : compressed) }>
func.func @f(%t: tensor<8x8xf64, #sparse>) -> index {
  %v, %f, %a, %n = sparse_tensor.expand %t : tensor<8x8xf64, #sparse> to memref<?xf64>, \
memref<?xi1>, memref<?xindex>
  return %n : index
}
"""


SLICE = """\
func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def oracle_of(*flags: str) -> CompilerOracle:
    opt = find_opt()
    return CompilerOracle(Command.parse([opt.name, *flags]), opt, limits=LIMITS)


def second(folder: Path, text: str, *flags: str) -> tuple[PassReport | None, Path]:
    oracle = oracle_of(*flags)
    output = folder / "r.mlir"
    report = reduce_pass_level(
        text,
        oracle=oracle,
        target=oracle.run(text).signature,
        opt=oracle.executable,
        output=output,
        listener=Silent(),
        stop=threading.Event(),
    )
    return report, ResultFolder.of(output).before_pass


def test_the_folder_of_the_program_is_left_out(tmp_path: Path) -> None:
    opt = find_opt()
    oracle = CompilerOracle(
        Command.parse([str(opt), "--sparsification-and-bufferization"]), opt, limits=LIMITS
    )
    report = reduce_pass_level(
        SPARSE,
        oracle=oracle,
        target=oracle.run(SPARSE).signature,
        opt=opt,
        output=tmp_path / "r.mlir",
        listener=Silent(),
        stop=threading.Event(),
    )
    assert report is not None
    assert f"reproducer by: {opt.name} --sparsification" in report.level


@pytest.mark.parametrize(
    "flag", ["--expand-strided-metadata", "--pass-pipeline=builtin.module(expand-strided-metadata)"]
)
def test_a_command_of_one_pass_needs_no_second_program(tmp_path: Path, flag: str) -> None:
    report, file = second(tmp_path, EXPAND, flag)
    assert report is not None
    assert report.same_program
    assert report.pass_name == "expand-strided-metadata"
    assert not file.exists()
    assert report.costs.calls <= 3


def test_neither_does_a_pass_whose_result_the_verifier_rejects(tmp_path: Path) -> None:
    report, file = second(tmp_path, SLICE, "--slice-analysis-test")
    assert report is not None
    assert (report.same_program, report.pass_name) == (True, "slice-analysis-test")
    assert report.failure.startswith("verifier: 'func.return' op has N operands")
    assert not file.exists()


def test_neither_does_one_without_passes(tmp_path: Path) -> None:
    report, file = second(tmp_path, "func.func @f() -> i32 {\n  return\n}\n")
    assert report is not None
    assert (report.same_program, report.pass_name) == (True, "")
    assert not file.exists()


def test_the_pass_inside_a_named_pipeline(tmp_path: Path) -> None:
    report, file = second(tmp_path, SPARSE, "--sparsification-and-bufferization")
    assert report is not None
    assert not report.same_program
    assert report.pipeline == "builtin.module(sparse-tensor-codegen)"
    assert "--pass-pipeline='builtin.module(sparse-tensor-codegen)'" in file.read_text()


def test_the_ir_between_two_passes(tmp_path: Path) -> None:
    report, file = second(tmp_path, EXPAND, "--symbol-privatize", "--expand-strided-metadata")
    assert report is not None
    assert report.pipeline == "builtin.module(expand-strided-metadata)"
    assert not report.same_program
    assert "private" not in file.read_text()


NESTED = """\
module {
  gpu.module @m {
    func.func @f(%m: memref<?xf32>, %n: index) -> memref<?x?xf32> {
      %0 = memref.expand_shape %m [[0, 1]] output_shape [%n, %n] : \
memref<?xf32> into memref<?x?xf32>
      return %0 : memref<?x?xf32>
    }
  }
}
"""


def test_a_pass_nested_in_more_than_it_needs_has_a_second_program(tmp_path: Path) -> None:
    """The ops around a function are left out, and so are those of the pipeline."""
    nested = "--pass-pipeline=builtin.module(gpu.module(func.func(expand-strided-metadata)))"
    report, file = second(tmp_path, NESTED, nested)
    assert report is not None
    assert report.pipeline == "builtin.module(func.func(expand-strided-metadata))"
    assert not report.same_program
    assert "gpu.module @m" not in file.read_text()


def test_locating_names_the_only_pass() -> None:
    oracle = oracle_of("--expand-strided-metadata")
    finding = Locator(EXPAND, oracle, oracle.executable, lambda text: None).run()
    assert finding.pass_name == "expand-strided-metadata"
