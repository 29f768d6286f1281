"""CHLO is evaluated as it is, like StableHLO."""

import math

import numpy as np
import pytest

from reducer.miscompile.interpreter.dialects.names import CHLO_OPS, needs_front_end
from reducer.miscompile.interpreter.registry import known_ops
from tests.support.evaluating import Functions, f32, i32

pytestmark = pytest.mark.iree

TEXT = """
@gelu(%a: tensor<3xf32>) -> tensor<3xf32>:
  %r = chlo.erf %a : tensor<3xf32> -> tensor<3xf32>
func.func @top(%a: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  %r:2 = chlo.top_k(%a, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return %r#0, %r#1 : tensor<2x2xf32>, tensor<2x2xi32>
}
func.func @top_byte(%a: tensor<3xui8>) -> (tensor<2xui8>, tensor<2xi32>) {
  %r:2 = chlo.top_k(%a, k = 2) : tensor<3xui8> -> (tensor<2xui8>, tensor<2xi32>)
  return %r#0, %r#1 : tensor<2xui8>, tensor<2xi32>
}
@less(%a: tensor<2x1xf32>, %b: tensor<3xf32>) -> tensor<2x3xi1>:
  %r = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>}
    : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xi1>
@columns(%a: tensor<2xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32>:
  %r = chlo.broadcast_subtract %a, %b {broadcast_dimensions = array<i64: 0>}
    : (tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
func.func @next(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>) {
  %s = chlo.square %a : tensor<2xf32> -> tensor<2xf32>
  %n = chlo.next_after %s, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %i = chlo.is_pos_inf %n : tensor<2xf32> -> tensor<2xi1>
  return %n, %i : tensor<2xf32>, tensor<2xi1>
}
func.func @infinite(%a: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %r = chlo.is_inf %a : tensor<4xf32> -> tensor<4xi1>
  %s = chlo.is_pos_inf %a : tensor<4xf32> -> tensor<4xi1>
  %t = chlo.is_neg_inf %a : tensor<4xf32> -> tensor<4xi1>
  return %r, %s, %t : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
"""


def test_what_is_listed_is_known() -> None:
    assert {name for name in known_ops() if name.startswith("chlo.")} == CHLO_OPS
    assert not any(map(needs_front_end, CHLO_OPS))


def test_functions(module: Functions) -> None:
    found = module("gelu", f32(-0.5, 0, 2))
    np.testing.assert_allclose(found, [math.erf(a) for a in (-0.5, 0, 2)], rtol=1e-6)


def test_the_largest_numbers_of_each_row(module: Functions) -> None:
    values, where = module.arrays("top", f32(1, 4, -2, 3, 5, 7, 5, 0).reshape(2, 4))
    assert values.data.tolist() == [[4, 3], [7, 5]] and not values.mask().any()
    assert where.data[0].tolist() == [1, 3]
    assert where.mask().tolist() == [[False, False], [False, True]]  # one of two fives


def test_nobody_says_whether_a_nan_is_large(module: Functions) -> None:
    values, where = module.arrays("top", f32(1, 4, -2, 3, 5, np.nan, 6, 0).reshape(2, 4))
    assert values.mask().tolist() == where.mask().tolist() == [[False, False], [True, True]]


def test_bytes_without_a_sign(module: Functions) -> None:
    values, where = module.all("top_byte", np.array([1, 200, 100], np.uint8).view(np.int8))
    assert values.view(np.uint8).tolist() == [200, 100]
    assert where.tolist() == [1, 2]


def test_operands_of_different_shapes(module: Functions) -> None:
    less = module("less", f32(1, 2).reshape(2, 1), f32(0, 2, 3))
    assert less.tolist() == [[False, True, True], [False, False, True]]
    found = module("columns", i32(10, 20), i32(1, 2, 3, 4, 5, 6).reshape(2, 3))
    assert found.tolist() == [[9, 8, 7], [16, 15, 14]]


def test_the_next_number(module: Functions) -> None:
    found, infinite = module.all("next", f32(-2, np.inf))
    assert found.tolist() == [np.nextafter(np.float32(4), np.float32(0)), np.inf]
    assert infinite.tolist() == [False, True]


def test_infinities_of_either_sign(module: Functions) -> None:
    either, positive, negative = module.all("infinite", f32(-np.inf, np.inf, 1, np.nan))
    assert either.tolist() == [True, True, False, False]
    assert positive.tolist() == [False, True, False, False]
    assert negative.tolist() == [True, False, False, False]
