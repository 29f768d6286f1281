"""The second reproducer when the command is a `…-opt` tool itself."""

import threading
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.driver.stages.second_program import PassReport
from reducer.explain.locator import Locator
from reducer.storage.result_folder import ResultFolder
from tests.support.opt_tools import find_opt
from tests.support.pass_level import reduce_pass_level
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


def second(folder: Path, text: str, oracle: CompilerOracle) -> tuple[PassReport, Path]:
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
    assert report is not None
    return report, ResultFolder.of(output).before_pass


@pytest.mark.parametrize(
    ("text", "flags", "pass_name"),
    [
        (EXPAND, ["--expand-strided-metadata"], "expand-strided-metadata"),
        (
            EXPAND,
            ["--pass-pipeline=builtin.module(expand-strided-metadata)"],
            "expand-strided-metadata",
        ),
        (SLICE, ["--slice-analysis-test"], "slice-analysis-test"),
        ("func.func @f() -> i32 {\n  return\n}\n", [], ""),
    ],
    ids=["one pass", "a pipeline of one", "a result that the verifier rejects", "no pass"],
)
def test_a_command_of_one_pass_at_most_needs_no_second_program(
    tmp_path: Path, text: str, flags: list[str], pass_name: str
) -> None:
    report, file = second(tmp_path, text, oracle_of(*flags))
    assert (report.same_program, report.pass_name) == (True, pass_name)
    assert text is not SLICE or report.failure.startswith("verifier: 'func.return' op has N")
    assert not file.exists()
    assert report.costs.calls <= 3


@pytest.mark.parametrize(
    ("text", "flags", "pipeline", "lost"),
    [
        (
            EXPAND,
            ["--symbol-privatize", "--expand-strided-metadata"],
            "builtin.module(expand-strided-metadata)",
            "private",
        ),
        (
            NESTED,
            ["--pass-pipeline=builtin.module(gpu.module(func.func(expand-strided-metadata)))"],
            "builtin.module(func.func(expand-strided-metadata))",
            "gpu.module @m",
        ),
    ],
    ids=["the IR between two passes", "a pass nested in more than it needs"],
)
def test_there_is_a_second_program(
    tmp_path: Path, text: str, flags: list[str], pipeline: str, lost: str
) -> None:
    """The ops around a function are left out, and so are those of the pipeline."""
    report, file = second(tmp_path, text, oracle_of(*flags))
    assert (report.pipeline, report.same_program) == (pipeline, False)
    assert lost not in file.read_text()


def test_the_pass_inside_a_named_pipeline(tmp_path: Path) -> None:
    """The folder of the program is left out."""
    opt = find_opt()
    command = Command.parse([str(opt), "--sparsification-and-bufferization"])
    report, file = second(tmp_path, SPARSE, CompilerOracle(command, opt, limits=LIMITS))
    assert not report.same_program
    assert report.pipeline == "builtin.module(sparse-tensor-codegen)"
    assert "--pass-pipeline='builtin.module(sparse-tensor-codegen)'" in file.read_text()
    assert f"reproducer by: {opt.name} --sparsification" in report.level


def test_locating_names_the_only_pass() -> None:
    oracle = oracle_of("--expand-strided-metadata")
    finding = Locator(EXPAND, oracle, oracle.executable, lambda text: None).run()
    assert finding.pass_name == "expand-strided-metadata"


def test_the_program_of_a_pass_that_breaks_ir_is_what_that_gets(tmp_path: Path) -> None:
    """The verifier finds there what makes a later pass crash."""
    text = """\
func.func @f(%a: index) -> memref<?x4xf32> {
  %0 = memref.alloc(%a) : memref<?x4xf32>
  return %0 : memref<?x4xf32>
}
"""
    passes = ("--flatten-memref", "--cse", "--finalize-memref-to-llvm")
    report, file = second(tmp_path, text, oracle_of("--verify-each=0", *passes))
    assert (report.pass_name, report.found_by) == ("flatten-memref", "finalize-memref-to-llvm")
    assert report.failure.startswith("verifier: ")
    assert "--pass-pipeline='builtin.module(flatten-memref)' %s" in file.read_text()
