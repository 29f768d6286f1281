"""Clean-up passes of a real compiler as a transformation."""

from collections.abc import Callable

import pytest

from oracles import Limits
from reducer.ir import Module
from reducer.session.compiler_passes import CompilerPasses
from reducer.session.normalise import Normaliser
from reducer.toolchain import Toolchain

pytestmark = pytest.mark.iree

BEFORE = """\
func.func private @callee(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
func.func @main(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  %1 = call @callee(%0) : (i32) -> i32
  return %1 : i32
}
"""


def test_calls_are_inlined_and_folds_happen(iree_toolchain: Callable[..., Toolchain]) -> None:
    normaliser = Normaliser(iree_toolchain().opt, Limits(60.0))
    module = Module.parse(normaliser.generic(BEFORE) or "")
    passes = CompilerPasses(normaliser.after_passes)
    after = passes.apply(module, passes.sites(module))
    assert after is not None
    names = Module.parse(after).t.name
    assert names == ["builtin.module", "func.func", "arith.muli", "func.return"]


def test_what_the_tool_cannot_read_is_no_candidate(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    normaliser = Normaliser(iree_toolchain().opt, Limits(60.0))
    broken = Module.parse('"t.op"(%0) : (i32) -> ()\n')
    passes = CompilerPasses(normaliser.after_passes)
    assert passes.apply(broken, passes.sites(broken)) is None


GENERIC = """\
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.subf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_a_generic_op_becomes_a_named_one(iree_toolchain: Callable[..., Toolchain]) -> None:
    normaliser = Normaliser(iree_toolchain().opt, Limits(60.0))
    module = Module.parse(normaliser.generic(GENERIC) or "")
    passes = CompilerPasses(normaliser.after_passes)
    site = next(s for s in passes.sites(module) if "specialize" in s.name)
    after = passes.apply(module, [site])
    assert after is not None
    assert "linalg.generic" not in after
    assert Module.parse(after).op_count < module.op_count
