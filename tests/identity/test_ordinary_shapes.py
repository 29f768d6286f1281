"""A conversion refuses a type for another reason than that of the input, in the same words."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.driver.records.record import Report
from reducer.identity import lost
from tests.support.opt_tools import find_opt
from tests.support.reducing import reduced_by

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
# There is no `shuffle` of 4 bits, whatever its width is. Of 32 bits there is, if the width is a
# constant and that of a subgroup.
SHUFFLE = """\
gpu.module @m {
  gpu.func @f(%a: i4, %b: i32) -> i4 attributes {intel_reqd_sub_group_size = 16 : i32} {
    %0 = arith.constant 16 : i32
    %1, %2 = gpu.shuffle xor %a, %b, %0 : i4
    gpu.return %1 : i4
  }
}
"""
SHUFFLE_OF_ANY_WIDTH = SHUFFLE.replace(": i4, %b: i32)", ": i4, %b: i32, %0: i32)").replace(
    "    %0 = arith.constant 16 : i32\n", ""
)


def reduced(folder: Path, text: str, max_calls: int | None = None) -> Report:
    opt = find_opt()
    flag = "--convert-gpu-to-llvm-spv" if "gpu" in text else "--convert-memref-to-emitc"
    limits = Limits(seconds=60, memory=8 << 30)
    oracle = CompilerOracle(Command.parse([opt.name, flag]), opt, limits=limits)
    return reduced_by(oracle, folder, text, opt=opt, max_calls=max_calls)


def test_an_element_type_that_is_refused_stays(tmp_path: Path) -> None:
    report = reduced(tmp_path, NO_SUCH_ELEMENT)
    assert REFUSED in report.signature.text
    assert "memref<2xf80>" in report.text, "`memref<f32>` is refused for its rank"
    assert report.verified and report.one_minimal
    assert report.degenerate is not None
    assert report.degenerate.features == ("an unused result",), "not sizes, and no ranks"


@pytest.mark.parametrize(
    ("text", "kept", "lost"),
    [
        pytest.param(DYNAMIC, ["memref<?xf32>"], "", id="a dynamic size"),
        pytest.param(LOADED, ["memref<?xf32>"], "", id="indices that go with the rank"),
        pytest.param(NO_PATTERN, ["memref<2xf32>"], "", id="a rank"),
        pytest.param(
            SHUFFLE,
            ["gpu.shuffle  xor %a, %b, %0 : i4", "intel_reqd_sub_group_size = 16"],
            "",
            id="a constant",
        ),
        pytest.param(SHUFFLE_OF_ANY_WIDTH, [], "arith.constant", id="what the input does not tell"),
    ],
)
def test_what_would_be_refused_for_another_reason_is_kept(
    tmp_path: Path, text: str, kept: list[str], lost: str
) -> None:
    report = reduced(tmp_path, text)
    assert report.verified and report.one_minimal
    assert all(part in report.text for part in kept)
    assert not lost or lost not in report.text
    assert text is not NO_PATTERN or report.degenerate is None or report.degenerate.kept
    said = any("fails with the same message, but not once" in note for note in report.notes)
    assert said or text is not SHUFFLE


@pytest.mark.parametrize("missing", ["_with_constants", "until_lost"])
def test_constants_that_cannot_be_given_back_cost_nothing(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    for name in ("_with_constants", "until_lost"):
        found = None if name == missing else [Mock()]
        monkeypatch.setattr(lost, name, lambda *_, found=found: found)
    judging = Mock()
    assert not lost.lost_constants(Mock(), judging)
    judging.full.run.assert_not_called()
