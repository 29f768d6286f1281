"""Control flow, functions, globals, and programs cut into dispatches."""

from collections.abc import Callable

import numpy as np
import pytest

from reducer.toolchain import Toolchain
from tests.support.evaluating import f32, functions, i32
from tests.support.in_process import output_of

pytestmark = pytest.mark.iree


DISPATCHED = """
func.func @main(%x: tensor<4x?xf32>, %w: tensor<?x4xf32>) -> tensor<4x4xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x?xf32>, tensor<?x4xf32>)
    outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = math.absf %m : tensor<4x4xf32>
  return %t : tensor<4x4xf32>
}
"""


@pytest.mark.parametrize("phase", ["input", "global-optimization", "dispatch-creation", "flow"])
def test_a_program_means_the_same_after_each_phase(
    iree_toolchain: Callable[..., Toolchain], phase: str
) -> None:
    tools = iree_toolchain()
    flags = "--iree-hal-target-backends=llvm-cpu", f"--compile-to={phase}", "-o", "-"
    text = output_of(tools.compile, DISPATCHED, *flags)
    module = functions(tools, text)
    x = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
    w = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(module("main", x, w), np.abs(x @ w))


TIED = """
@f(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32>:
  %r = flow.dispatch.workgroups(%x, %y) : (tensor<4xf32>, tensor<2xf32>) -> %x =
    (%a: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xf32>>,
     %b: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xf32>>) {
    %l = iree_tensor_ext.dispatch.tensor.load %b, offsets = [0], sizes = [2], strides = [1]
      : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xf32>> -> tensor<2xf32>
    %s = arith.addf %l, %l : tensor<2xf32>
    iree_tensor_ext.dispatch.tensor.store %s, %a, offsets = [1], sizes = [2], strides = [1]
      : tensor<2xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xf32>>
    flow.return
  }
"""


def test_a_dispatch_may_update_its_operand(iree_toolchain: Callable[..., Toolchain]) -> None:
    x = f32(1, 2, 3, 4)
    out = functions(iree_toolchain(), TIED)("f", x, f32(10, 20))
    assert out.tolist() == [1, 20, 40, 4] and x.tolist() == [1, 2, 3, 4]


def test_the_poison_of_a_mask() -> None:
    from reducer.miscompile.interpreter.values import Array

    array = Array(i32(1, 2), np.array([False, True]))
    assert array.mask().tolist() == [False, True]
    assert Array(i32(1, 2), np.array([False, False])).poison is None
    assert Array(np.int32(3), np.array([True, False])).data.tolist() == [3, 3]
