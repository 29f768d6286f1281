"""A conversion refuses a type for another reason than that of the input, in the same words."""

from pathlib import Path

from oracles import Command, CompilerOracle, Limits
from reducer.session.record import Report
from reducer.session.reduction import Reduction
from reducer.session.settings import Settings
from tests.support.opt_tools import find_opt
from tests.support.silent import Silent

REFUSED = "failed to legalize operation 'memref.alloca' that was explicitly marked illegal"

NO_SUCH_ELEMENT = """\
func.func @f(%i: index, %j: index, %x: f80) -> f80 {
  %0 = memref.alloca() : memref<5x7xf80>
  memref.store %x, %0[%i, %j] : memref<5x7xf80>
  %1 = memref.load %0[%j, %i] : memref<5x7xf80>
  return %1 : f80
}
"""
DYNAMIC = """\
func.func @f(%i: index, %n: index, %x: f32) -> f32 {
  %0 = memref.alloca(%n) : memref<5x?xf32>
  memref.store %x, %0[%i, %i] : memref<5x?xf32>
  %1 = memref.load %0[%i, %i] : memref<5x?xf32>
  return %1 : f32
}
"""
LOADED = """\
func.func @f(%m: memref<3x4x?xf32>, %i: index) -> f32 {
  %0 = memref.load %m[%i, %i, %i] : memref<3x4x?xf32>
  return %0 : f32
}
"""
NO_PATTERN = """\
func.func @f(%m: memref<5x7xf32>, %i: index, %x: f32) -> f32 {
  %0 = memref.atomic_rmw addf %x, %m[%i, %i] : (f32, memref<5x7xf32>) -> f32
  return %0 : f32
}
"""


def reduced(folder: Path, text: str, **options: int) -> Report:
    opt = find_opt()
    settings = Settings(
        input=folder / "in.mlir",
        text=text,
        output=folder / "out.mlir",
        journal=folder / "journal",
        opt=opt,
        max_calls=options.get("max_calls"),
    )
    command = Command.parse([opt.name, "--convert-memref-to-emitc"])
    limits = Limits(seconds=60, memory=8 << 30)
    return Reduction(settings, CompilerOracle(command, opt, limits=limits), Silent()).run()


def test_an_element_type_that_is_refused_stays(tmp_path: Path) -> None:
    report = reduced(tmp_path, NO_SUCH_ELEMENT)
    assert REFUSED in report.signature.text
    assert "memref<2xf80>" in report.text, "`memref<f32>` is refused for its rank"
    assert report.verified and report.one_minimal
    assert report.degenerate is not None and not report.degenerate.kept
    assert report.degenerate.features == ("shapes without dimensions",)


def test_so_does_a_dynamic_size(tmp_path: Path) -> None:
    report = reduced(tmp_path, DYNAMIC)
    assert REFUSED in report.signature.text
    assert "memref<?xf32>" in report.text
    assert report.verified and report.one_minimal


def test_an_op_that_loses_its_indices_with_the_rank(tmp_path: Path) -> None:
    report = reduced(tmp_path, LOADED)
    assert "memref<?xf32>" in report.text
    assert report.verified and report.one_minimal


def test_a_rank_that_makes_no_difference_is_lost(tmp_path: Path) -> None:
    report = reduced(tmp_path, NO_PATTERN)
    assert "memref<f32>" in report.text
    assert report.verified and report.one_minimal
    assert report.degenerate is None or report.degenerate.kept


def test_without_runs_to_compare_them_the_smaller_one_stays(tmp_path: Path) -> None:
    calls = reduced(tmp_path, NO_SUCH_ELEMENT).costs.calls
    (tmp_path / "less").mkdir()
    report = reduced(tmp_path / "less", NO_SUCH_ELEMENT, max_calls=calls - 1)
    assert "memref<f32>" in report.text
    assert report.verified
    assert report.degenerate is not None and "may show another bug" in report.degenerate.text
