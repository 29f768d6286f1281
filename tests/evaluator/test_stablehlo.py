"""StableHLO is evaluated as it is, so a mistake of the compiler's front end shows."""

import subprocess
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducer.evaluator.dialects.names import STABLEHLO_OPS
from reducer.evaluator.registry import known_ops
from reducer.toolchain import Toolchain
from tests.support.evaluating import Functions, f32, functions, i32

pytestmark = pytest.mark.iree

TEXT = """
func.func @sort(%k: tensor<?xf32>, %v: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %r:2 = "stablehlo.sort"(%k, %v) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %x = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %x : tensor<i1>
  }) {dimension = 0 : i64, is_stable = STABLE} : (tensor<?xf32>, tensor<?xi32>)
    -> (tensor<?xf32>, tensor<?xi32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
}
func.func @reduce(%a: tensor<2x3x4xf32>) -> (tensor<3xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %0) applies stablehlo.add across dimensions = [0, 2]
    : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %m = stablehlo.reduce(%a init: %0) applies stablehlo.maximum across dimensions = [1]
    : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %s, %m : tensor<3xf32>, tensor<2x4xf32>
}
func.func @dot(%a: tensor<2x3x4xf32>, %b: tensor<4x2x5xf32>) -> tensor<2x3x5xf32> {
  %r = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [0]
    : (tensor<2x3x4xf32>, tensor<4x2x5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}
func.func @moved(%a: tensor<2x3xi32>, %x: tensor<i32>) -> (tensor<3x4x2xi32>, tensor<5x4xi32>) {
  %b = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<2x3xi32>) -> tensor<3x4x2xi32>
  %p = stablehlo.pad %a, %x, low = [1, -1], high = [1, 0], interior = [1, 1]
    : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x4xi32>
  return %b, %p : tensor<3x4x2xi32>, tensor<5x4xi32>
}
func.func @sliced(%a: tensor<6xi32>, %i: tensor<i32>) -> (tensor<2xi32>, tensor<3xi32>) {
  %d = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<6xi32>, tensor<i32>) -> tensor<2xi32>
  %s = stablehlo.slice %a [1:6:2] : (tensor<6xi32>) -> tensor<3xi32>
  %r = stablehlo.reverse %s, dims = [0] : tensor<3xi32>
  return %d, %r : tensor<2xi32>, tensor<3xi32>
}
func.func @sliced_from_byte(%a: tensor<300xi32>, %i: tensor<ui8>)
    -> (tensor<1xi32>, tensor<300xi32>) {
  %d = stablehlo.dynamic_slice %a, %i, sizes = [1]
    : (tensor<300xi32>, tensor<ui8>) -> tensor<1xi32>
  %n = stablehlo.negate %d : tensor<1xi32>
  %u = stablehlo.dynamic_update_slice %a, %n, %i
    : (tensor<300xi32>, tensor<1xi32>, tensor<ui8>) -> tensor<300xi32>
  return %d, %u : tensor<1xi32>, tensor<300xi32>
}
func.func @numbers(%a: tensor<4xi32>, %b: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %d = stablehlo.divide %a, %b : tensor<4xi32>
  %r = stablehlo.remainder %a, %b : tensor<4xi32>
  %s = stablehlo.shift_left %a, %b : tensor<4xi32>
  %m = stablehlo.maximum %a, %b : tensor<4xi32>
  return %d, %r, %s, %m : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
func.func @unsigned(%a: tensor<2xui8>, %b: tensor<2xui8>) -> (tensor<2xui8>, tensor<2xi1>) {
  %d = stablehlo.divide %a, %b : tensor<2xui8>
  %c = stablehlo.compare GT, %a, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  return %d, %c : tensor<2xui8>, tensor<2xi1>
}
func.func @convert(%a: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xi1>, tensor<4xbf16>) {
  %i = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi8>
  %b = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi1>
  %h = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  return %i, %b, %h : tensor<4xi8>, tensor<4xi1>, tensor<4xbf16>
}
func.func @total(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> {
  %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %c : tensor<3xi1>
}
func.func @count(%n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %0, %s = %0) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %1 : tensor<i32>
      %t = stablehlo.add %s, %j : tensor<i32>
      stablehlo.return %j, %t : tensor<i32>, tensor<i32>
    }
  return %r#1 : tensor<i32>
}
"""
NORMALIZED = """
func.func @normalized(%a: tensor<2x3xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>,
    %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = "stablehlo.batch_norm_inference"(%a, %s, %o, %m, %v) <{
    epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>,
    tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @mapped(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %r = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %d = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
"""
FLOATS = (
    "abs", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log_plus_one",
    "logistic", "negate", "round_nearest_afz", "round_nearest_even", "sign", "sine", "tanh",
)  # fmt: skip
FLOAT_TEXT = "\n".join(
    f"func.func @{name}(%a: tensor<7xf32>) -> tensor<7xf32> {{\n"
    f"  %r = stablehlo.{name} %a : tensor<7xf32>\n  return %r : tensor<7xf32>\n}}"
    for name in FLOATS
)


@pytest.fixture(scope="module")
def module(iree_toolchain: Callable[..., Toolchain]) -> Functions:
    return functions(iree_toolchain(), TEXT.replace("STABLE", "true"))


def test_what_is_listed_is_known() -> None:
    assert {name for name in known_ops() if name.startswith("stablehlo.")} == STABLEHLO_OPS


def test_a_stable_sort_keeps_the_order_of_equal_keys(module: Functions) -> None:
    keys, values = module.all("sort", f32(1, 2, 1, 2), i32(0, 1, 2, 3))
    assert keys.tolist() == [2, 2, 1, 1]
    assert values.tolist() == [1, 3, 0, 2]


def test_another_sort_may_order_them_as_it_likes(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    unstable = functions(iree_toolchain(), TEXT.replace("STABLE", "false"))
    keys, values = unstable.arrays("sort", f32(1, 2, 1, 3), i32(0, 1, 2, 3))
    assert keys.poison is None and keys.data.tolist() == [3, 2, 1, 1]
    assert values.mask().tolist() == [False, False, True, True]


def test_reductions_and_products(module: Functions) -> None:
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    total, most = module.all("reduce", a)
    np.testing.assert_array_equal(total, a.sum(axis=(0, 2)) + 1)
    np.testing.assert_array_equal(most, np.maximum(a.max(axis=1), 1))
    b = np.arange(40, dtype=np.float32).reshape(4, 2, 5)
    np.testing.assert_array_equal(module("dot", a, b), np.einsum("brk,kbc->brc", a, b))


def test_elements_move(module: Functions) -> None:
    a = np.arange(1, 7, dtype=np.int32).reshape(2, 3)
    spread, padded = module.all("moved", a, np.int32(9))
    np.testing.assert_array_equal(spread, np.broadcast_to(a.T[:, None, :], (3, 4, 2)))
    assert padded.tolist() == [
        [9, 9, 9, 9],
        [9, 2, 9, 3],
        [9, 9, 9, 9],
        [9, 5, 9, 6],
        [9, 9, 9, 9],
    ]


@pytest.mark.parametrize(("start", "part"), [(1, [1, 2]), (9, [4, 5]), (-3, [0, 1])])
def test_starts_are_clamped(module: Functions, start: int, part: list[int]) -> None:
    found, reverse = module.all("sliced", np.arange(6, dtype=np.int32), np.int32(start))
    assert (found.tolist(), reverse.tolist()) == (part, [5, 3, 1])


def test_unsigned_starts_have_no_sign(module: Functions) -> None:
    a = np.arange(300, dtype=np.int32)
    found, updated = module.all("sliced_from_byte", a, np.int8(-56))
    assert found.tolist() == [200]
    assert (updated != a).nonzero()[0].tolist() == [200]


def test_what_the_implementation_defines_is_poison(module: Functions) -> None:
    results = module.arrays("numbers", i32(-7, 7, -(2**31), 1), i32(2, 0, -1, 33))
    divided, rest, shifted, most = results
    assert divided.mask().tolist() == rest.mask().tolist() == [False, True, True, False]
    assert (divided.data[0], rest.data[0]) == (-3, -1)
    assert shifted.mask().tolist() == [False, False, True, True]
    assert most.data.tolist() == [2, 7, -1, 33]


def test_unsigned_numbers(module: Functions) -> None:
    a, b = np.array([200, 3], np.uint8).view(np.int8), np.array([3, 200], np.uint8).view(np.int8)
    divided, larger = module.all("unsigned", a, b)
    assert divided.view(np.uint8).tolist() == [66, 0]
    assert larger.tolist() == [True, False]


def test_conversions(module: Functions) -> None:
    whole, truth, half = module.arrays("convert", f32(-1.5, 200, 0, np.nan))
    assert whole.data[[0, 2]].tolist() == [-1, 0]
    assert whole.mask().tolist() == [False, True, False, True]
    assert truth.data.tolist() == [True, True, False, True]
    assert half.data[:3].astype(float).tolist() == [-1.5, 200, 0]


def test_total_order(module: Functions) -> None:
    less = module("total", f32(-0.0, 0.0, np.inf), f32(0.0, -0.0, np.nan))
    assert less.tolist() == [True, False, True]


@given(st.integers(-3, 20))
def test_loops(module: Functions, count: int) -> None:
    assert module("count", np.int32(count)) == sum(range(1, count + 1))


def test_the_front_end_computes_the_same(iree_toolchain: Callable[..., Toolchain]) -> None:
    """Each function evaluated as it is, and once more after the compiler has lowered it."""
    toolchain = iree_toolchain()
    given = f32(-2.5, -0.5, 0.0, 0.25, 1.5, 2.5, 30.0)
    direct = functions(toolchain, FLOAT_TEXT)
    lowered = functions(toolchain, _lowered(toolchain, FLOAT_TEXT))
    for name in FLOATS:
        with np.errstate(all="ignore"):
            ours, theirs = direct(name, given), lowered(name, given)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=name)


def _lowered(toolchain: Toolchain, text: str) -> str:
    words = [str(toolchain.compile), "-", "--compile-to=input", "--iree-hal-target-backends=vmvx"]
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


def test_a_normalization_of_each_feature(iree_toolchain: Callable[..., Toolchain]) -> None:
    batch = functions(iree_toolchain(), NORMALIZED)
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    scale, offset, mean, variance = f32(1, 2, 3), f32(0, 10, 20), f32(0, 1, 2), f32(0, 3, 8)
    found = batch("normalized", a, scale, offset, mean, variance)
    expected = (a - mean) * scale / np.sqrt(variance + 1) + offset
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert batch("mapped", f32(1, 2), f32(5, 3)).tolist() == [-4, -1]
