"""A conversion that insists on a constant refuses what has none in the words of another failure."""

from pathlib import Path

from oracles import Command, CompilerOracle, Limits
from reducer.session.record import Report
from reducer.session.reduction import Reduction
from reducer.session.settings import Settings
from tests.support.opt_tools import find_opt
from tests.support.silent import Silent

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


def reduced(folder: Path, text: str) -> Report:
    opt = find_opt()
    settings = Settings(
        input=folder / "in.mlir",
        text=text,
        output=folder / "out.mlir",
        journal=folder / "journal",
        opt=opt,
    )
    command = Command.parse([opt.name, "--convert-gpu-to-llvm-spv"])
    limits = Limits(seconds=60, memory=8 << 30)
    return Reduction(settings, CompilerOracle(command, opt, limits=limits), Silent()).run()


def test_what_would_be_refused_for_want_of_a_constant_keeps_it(tmp_path: Path) -> None:
    report = reduced(tmp_path, SHUFFLE)
    assert report.verified and report.one_minimal
    assert "gpu.shuffle  xor %a, %b, %0 : i4" in report.text
    assert "intel_reqd_sub_group_size = 16" in report.text
    assert any("fails in the same words" in note for note in report.notes)


def test_what_the_input_does_not_tell_is_no_loss(tmp_path: Path) -> None:
    """Refused for its width in the input as well, so that its type does not matter."""
    report = reduced(tmp_path, SHUFFLE_OF_ANY_WIDTH)
    assert report.verified and report.one_minimal
    assert "arith.constant" not in report.text
