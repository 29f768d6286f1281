"""Conversions by MLIR's own `mlir-opt`."""

from pathlib import Path

import pytest

from oracles import Limits
from reducer.conversions import Conversions, OptPrinter
from reducer.storage.journal import Journal
from tests.support.opt_tools import MLIR_OPT, installed_tool

# https://github.com/llvm/llvm-project/issues/126213, reduced; LLVM 22 canonicalizes it for ever
HANGS = """
func.func @f(%a: index) {
  %0 = arith.constant 1 : index
  %1 = arith.constant true
  cf.cond_br %1, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%1 : i1)
^bb2:
  cf.br ^bb3(%1 : i1)
^bb3(%b: i1):
  cf.br ^bb4
^bb4:
  cf.cond_br %b, ^bb5, ^bb6
^bb5:
  cf.br ^bb4
^bb6:
  cf.br ^bb7(%a : index)
^bb7(%c: index):
  %2 = arith.cmpi ne, %c, %0 : index
  cf.cond_br %2, ^bb8, ^bb9
^bb8:
  %3 = arith.addi %c, %0 : index
  cf.br ^bb7(%3 : index)
^bb9:
  return
}
"""
QUICK = "func.func @g() { return }"


@pytest.mark.live
@pytest.mark.machine
def test_a_pass_that_hangs_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reducer.conversions._PASS_SECONDS", 0.3)
    journal = Journal.open(tmp_path / "x.journal", identity={})
    printer = OptPrinter(installed_tool(MLIR_OPT), Limits(60))
    conversions = Conversions(printer, journal, print)
    assert conversions.after_passes("builtin.module(canonicalize)", HANGS) is None
    assert printer.exceeded
    spent = printer.cost.cpu_seconds
    assert conversions.after_passes("builtin.module(canonicalize)", QUICK) is None
    assert printer.cost.cpu_seconds == spent
    assert conversions.after_passes("builtin.module(cse)", QUICK) is not None
