"""Batch normalization of StableHLO."""

import numpy as np
import pytest

from tests.support.evaluating import Functions, f32

pytestmark = pytest.mark.iree

TEXT = """
func.func @normalized(%a: tensor<2x3xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>,
    %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = "stablehlo.batch_norm_inference"(%a, %s, %o, %m, %v) <{
    epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>,
    tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @train(%a: tensor<4x2xf32>, %s: tensor<2xf32>, %o: tensor<2xf32>)
    -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%a, %s, %o) <{epsilon = 0.0 : f32,
    feature_index = 1 : i64}> : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
    -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2 : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>
}
"""


def test_training_takes_the_mean_and_the_variance_of_each_feature(module: Functions) -> None:
    tensor = np.stack([f32(1, 1, 3, 3), f32(0, 4, 0, 4)], 1)
    out, mean, variance = module.all("train", tensor, f32(1, 10), f32(0, 5))
    assert (mean.tolist(), variance.tolist()) == ([2, 2], [1, 4])
    assert out.T.tolist() == [[-1, -1, 1, 1], [-5, 15, -5, 15]]


def test_a_variance_may_be_computed_from_squares(module: Functions) -> None:
    """IREE's front end does, so that a square that overflows gives NaN."""
    tensor = np.stack([f32(1e30, 0, 0, 0), f32(0, 4, 0, 4)], 1)
    out, mean, variance = module.arrays("train", tensor, f32(1, 1), f32(0, 0))
    assert mean.poison is None and variance.mask().tolist() == [True, False]
    assert out.mask().tolist() == [[True, False]] * 4


def test_a_normalization_of_each_feature(module: Functions) -> None:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    scale, offset, mean, variance = f32(1, 2, 3), f32(0, 10, 20), f32(0, 1, 2), f32(0, 3, 8)
    found = module("normalized", a, scale, offset, mean, variance)
    expected = (a - mean) * scale / np.sqrt(variance + 1) + offset
    np.testing.assert_allclose(found, expected, rtol=1e-6)
