"""Find the `…-opt` tools of projects other than IREE. `make tools` installs them."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from tests.support import stand_ins

MLIR_OPT = "mlir-opt-22"
CONTRACT = """\
func.func @f(%a: vector<4xf32>, %b: vector<4x4xf32>, %c: vector<4xf32>) -> vector<4xf32> {
  %0 = vector.contract {
    indexing_maps = [affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (k, i)>,
                     affine_map<(i, k) -> (i)>],
    iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<4xf32>, vector<4x4xf32> into vector<4xf32>
  return %0 : vector<4xf32>
}
"""
"""What makes more ops or fewer, as `--convert-vector-to-llvm` is told to lower it."""


def find_opt(name: str = MLIR_OPT) -> Path:
    """The tool or what stands in for it; if missing, as it may be in slow tests, they are skipped.

    They fail if the tools are required.
    """
    program = shutil.which(name) or stand_ins.old(name)
    return Path(program) if program else _missing(name)


def installed_tool(name: str) -> Path:
    """The tool itself, not what is recorded of it; the same if it is missing."""
    program = Path("/usr/bin") / name
    return program if program.is_file() else _missing(name)


def _missing(name: str) -> NoReturn:
    if os.environ.get("MLIR_REDUCER_TOOLS") == "required":
        pytest.fail(f"there is no {name}")
    pytest.skip(f"there is no {name}; `make tools` installs it")


INVALID = """\
module @patterns {
  pdl.pattern @Bad : benefit(1) {
    %t = pdl.type
    %x = pdl.operand : %t
    %o = pdl.operation "t.p"(%x : !pdl.value) -> (%t : !pdl.type)
    pdl.rewrite %o {
      %n = pdl.operation "arith.mulf"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      %r = pdl.result 0 of %n
      %m = pdl.operation "math.sqrt"(%r : !pdl.value) -> (%t : !pdl.type)
      pdl.replace %o with %m
    }
  }
}
module @ir {
  func.func @f(%a: i16) -> i16 {
    %b = "t.p"(%a) : (i16) -> i16
    %c = arith.subi %b, %a : i16
    return %c : i16
  }
}
"""
"""A pattern in it makes a float op on integers."""
