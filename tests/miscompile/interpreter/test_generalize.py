"""Named structured ops are written out without touching anything else."""

import numpy as np
import pytest

from reducer.miscompile.interpreter.lowering import generalized
from tests.support.evaluating import Functions

pytestmark = pytest.mark.iree

TEXT = """
!a = tensor<2x3xf32>
!b = tensor<3x3xf32>
func.func @matmuls(%a: !a, %b: !b, %o: !a) -> !a {
  %0 = linalg.matmul ins(%a, %b : !a, !b) outs(%o : !a) -> !a
  %1 = linalg.matmul ins(%0, %b : !a, !b) outs(%o : !a) -> !a
  return %1 : !a
}
func.func @captures(%a: tensor<4xf32>, %s: f32, %o: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = call @pair(%s, %s) : (f32, f32) -> (f32, f32)
  %1 = linalg.map ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) (%x: f32, %unused: f32) {
    %2 = arith.mulf %x, %0#1 : f32
    linalg.yield %2 : f32
  }
  return %1 : tensor<4xf32>
}
func.func @pair(%a: f32, %b: f32) -> (f32, f32) {
  return %a, %b : f32, f32
}
func.func @not_folded(%a: i32) -> i32 {
  %0 = arith.divsi %a, %a : i32
  return %0 : i32
}
"""


def test_named_ops_become_generic_ones(module: Functions) -> None:
    names = module.program.module.t.name
    assert names.count("linalg.generic") == 3
    assert not {"linalg.matmul", "linalg.map"} & set(names)
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.eye(3, dtype=np.float32) * 2
    out = module("matmuls", a, b, np.ones((2, 3), np.float32))
    assert (out == (a @ b + 1) @ b + 1).all()


def test_a_body_may_use_values_from_outside(module: Functions) -> None:
    out = module("captures", np.arange(4, dtype=np.float32), np.float32(3), np.zeros(4, "f"))
    assert out.tolist() == [0, 3, 6, 9]


def test_nothing_else_is_folded(module: Functions) -> None:
    assert "arith.divsi" in module.program.module.t.name


def test_a_failing_pass_leaves_the_module_alone(module: Functions) -> None:
    text = '"builtin.module"() ({\n  %0 = "linalg.other"() : () -> tensor<4xf32>\n}) : () -> ()\n'
    assert generalized(text, lambda ops: None) == text
