"""Ops of iree_linalg_ext, and what their ambiguity means."""

from collections.abc import Callable
from functools import reduce

import numpy as np
import pytest

from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Interpreter
from reducer.miscompile.interpreter.reference import all_sorts_stable
from reducer.miscompile.interpreter.values import Array
from reducer.toolchain import Toolchain
from tests.support.evaluating import Functions, f32, functions, generic, i32

pytestmark = pytest.mark.iree

TEXT = """
func.func @sort(%k: tensor<?xf32>, %v: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %r:2 = iree_linalg_ext.sort dimension(0) outs(%k, %v : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    %x = arith.cmpf olt, %a, %b : f32
    iree_linalg_ext.yield %x : i1
  } -> tensor<?xf32>, tensor<?xi32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
}
@sort_columns(%k: tensor<?x?xi32>) -> tensor<?x?xi32>:
  %r = iree_linalg_ext.sort dimension(0) outs(%k : tensor<?x?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %x = arith.cmpi sge, %a, %b : i32
    iree_linalg_ext.yield %x : i1
  } -> tensor<?x?xi32>
func.func @topk(%a: tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %v = tensor.empty() : tensor<2x3xf32>
  %i = tensor.empty() : tensor<2x3xi32>
  %r:2 = iree_linalg_ext.topk dimension(1) ins(%a : tensor<2x6xf32>)
    outs(%v, %i : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf ogt, %x, %y : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xi32>
}
func.func @topk_given(%a: tensor<6xf32>, %b: tensor<6xi32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %v = tensor.empty() : tensor<3xf32>
  %i = tensor.empty() : tensor<3xi32>
  %r:2 = iree_linalg_ext.topk dimension(0) ins(%a, %b : tensor<6xf32>, tensor<6xi32>)
    outs(%v, %i : tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf ogt, %x, %y : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<3xf32>, tensor<3xi32>
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi32>
}
func.func @scan(%a: tensor<3x4xi32>) -> tensor<3x4xi32> {
  %e = tensor.empty() : tensor<3x4xi32>
  %c = arith.constant dense<100> : tensor<3xi32>
  %r:2 = iree_linalg_ext.scan dimension(1) inclusive(false)
    ins(%a : tensor<3x4xi32>) outs(%e, %c : tensor<3x4xi32>, tensor<3xi32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    iree_linalg_ext.yield %s : i32
  } -> tensor<3x4xi32>, tensor<3xi32>
  return %r#0 : tensor<3x4xi32>
}
@scatter(%o: tensor<4x2xf32>, %u: tensor<?x2xf32>, %i: tensor<?x1xi32>)
    -> tensor<4x2xf32>:
  %r = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
    ins(%u, %i : tensor<?x2xf32>, tensor<?x1xi32>) outs(%o : tensor<4x2xf32>) {
  ^bb0(%new: f32, %old: f32):
    %s = arith.subf %old, %new : f32
    iree_linalg_ext.yield %s : f32
  } -> tensor<4x2xf32>
@unique(%o: tensor<4x2xf32>, %u: tensor<?x2xf32>, %i: tensor<?x1xi32>)
    -> tensor<4x2xf32>:
  %r = iree_linalg_ext.scatter dimension_map = [0] unique_indices(true)
    ins(%u, %i : tensor<?x2xf32>, tensor<?x1xi32>) outs(%o : tensor<4x2xf32>) {
  ^bb0(%new: f32, %old: f32):
    iree_linalg_ext.yield %new : f32
  } -> tensor<4x2xf32>
@gather(%a: tensor<5x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf32>:
  %e = tensor.empty() : tensor<3x2xf32>
  %r = iree_linalg_ext.gather dimension_map = [0]
    ins(%a, %i : tensor<5x2xf32>, tensor<3xi32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
"""
QUANTIZATION = """
#each = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
@quantize(%a: tensor<4xf32>, %scale: f32, %zero: i64) -> tensor<4xi8>:
  %e = tensor.empty() : tensor<4xi8>
  %r = iree_linalg_ext.quantize_affine <indexing_maps = [#each, #all, #all, #each],
    quant_min = MIN, quant_max = MAX OUT> ins(%a, %scale, %zero : tensor<4xf32>, f32, i64)
    outs(%e : tensor<4xi8>) -> tensor<4xi8>
@dequantize(%a: tensor<4xi8>, %scale: f32, %zero: i64) -> tensor<4xf32>:
  %e = tensor.empty() : tensor<4xf32>
  %r = iree_linalg_ext.dequantize_affine <indexing_maps = [#each, #all, #all, #each],
    quant_min = MIN, quant_max = MAX IN> ins(%a, %scale, %zero : tensor<4xi8>, f32, i64)
    outs(%e : tensor<4xf32>) -> tensor<4xf32>
"""
SIGNED = {"MIN": "-128", "MAX": "127", "OUT": "", "IN": ""}
UNSIGNED = {"MIN": "0", "MAX": "255", "OUT": ", storage_unsigned", "IN": ", input_unsigned"}


KEYS, PAYLOAD = f32(3, 1, 2, 1, 3), i32(0, 1, 2, 3, 4)


def test_equal_keys_have_no_order(module: Functions) -> None:
    keys, payload = module.arrays("sort", KEYS, PAYLOAD)
    assert keys.data.tolist() == [1, 1, 2, 3, 3] and keys.poison is None
    assert payload.mask().tolist() == [True, True, False, True, True]
    assert payload.data[2] == 2


def test_a_stable_sort_keeps_their_order(module: Functions) -> None:
    interpreter = Interpreter(module.program, stable_sorts=True)
    _, payload = interpreter.call("sort", [Array(KEYS), Array(PAYLOAD)])
    assert payload.poison is None and payload.data.tolist() == [1, 3, 2, 0, 4]


@pytest.mark.parametrize("stable", [False, True])
def test_a_comparison_that_makes_no_order_leaves_nothing_defined(
    module: Functions, stable: bool
) -> None:
    """NaN is neither less than 1 nor than 2 nor the other way round, but 1 is less than 2."""
    interpreter = Interpreter(module.program, stable_sorts=stable)
    keys, payload = interpreter.call("sort", [Array(f32(2, np.nan, 1)), Array(i32(5, 5, 5))])
    assert keys.mask().all()
    assert payload.poison is None, "in any order these are the same"


def test_a_program_may_promise_that_all_its_sorts_are_stable() -> None:
    stable = '"stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({'
    plain = '"stablehlo.sort"(%a) <{dimension = 0 : i64}> ({'
    assert all_sorts_stable(stable) and not all_sorts_stable(plain)
    assert not all_sorts_stable(f"{stable}\n{plain}") and not all_sorts_stable("")


def test_sorting_columns(module: Functions) -> None:
    a = np.random.default_rng(0).integers(0, 9, (40, 3)).astype(np.int32)
    np.testing.assert_array_equal(module("sort_columns", a), -np.sort(-a, axis=0))


def test_the_largest_elements(module: Functions) -> None:
    a = f32(1, 5, 2, 5, 0, 3, 6, 1, 1, 1, 1, 7).reshape(2, 6)
    values, indices = module.all("topk", a)
    assert values.tolist() == [[5, 5, 3], [7, 6, 1]]
    assert indices.tolist() == [[1, 3, 5], [5, 0, 1]]


def test_the_first_of_equal_elements_has_the_lower_position_and_index(module: Functions) -> None:
    a = f32(1, 4, 2, 4, 0, 3)
    values, indices = module.arrays("topk_given", a, i32(0, 3, 2, 5, 4, 1))
    assert values.data.tolist() == [4, 4, 3] and indices.data.tolist() == [3, 5, 1]
    assert not indices.mask().any()
    values, indices = module.arrays("topk_given", a, i32(0, 5, 2, 3, 4, 1))
    assert not values.mask().any()
    assert indices.mask().tolist() == [True, True, False]


def test_sums_before_each_element(module: Functions) -> None:
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    expected = 100 + np.cumsum(a, 1) - a
    np.testing.assert_array_equal(module("scan", a), expected)


def test_updates_come_in_order(module: Functions) -> None:
    updates = f32(1, 2, 3, 4, 5, 6).reshape(3, 2)
    out = module("scatter", np.zeros((4, 2), np.float32), updates, i32(2, 0, 2).reshape(3, 1))
    assert out.tolist() == [[-3, -4], [0, 0], [-6, -8], [0, 0]]


def test_unique_indices_that_repeat_are_undefined(module: Functions) -> None:
    updates, target = f32(1, 2, 3, 4).reshape(2, 2), np.zeros((4, 2), np.float32)
    out = module("unique", target, updates, i32(2, 0).reshape(2, 1))
    assert out.tolist() == [[3, 4], [0, 0], [1, 2], [0, 0]]
    with pytest.raises(UndefinedBehavior, match="meets one twice"):
        module("unique", target, updates, i32(2, 2).reshape(2, 1))


def test_gathers(module: Functions) -> None:
    a = np.arange(10, dtype=np.float32).reshape(5, 2)
    assert module("gather", a, i32(4, 0, 4)).tolist() == [[8, 9], [0, 1], [8, 9]]


@pytest.mark.parametrize(
    ("signs", "stored", "restored"),
    [
        (SIGNED, [-2, 14, 127, -128], [-6, 2, 58.5, -69]),
        (UNSIGNED, [0, 14, 255, 0], [-5, 2, 122.5, -5]),
    ],
)
def test_numbers_are_stored_with_or_without_a_sign(
    iree_toolchain: Callable[..., Toolchain],
    signs: dict[str, str],
    stored: list[int],
    restored: list[float],
) -> None:
    text = reduce(lambda text, sign: text.replace(*sign), signs.items(), QUANTIZATION)
    module = functions(iree_toolchain(), text)
    half, zero = np.float32(0.5), np.int64(10)
    found = module("quantize", f32(-6, 2, 300, -300), half, zero)
    assert found.astype(np.uint8).tolist() == [number % 256 for number in stored]
    assert module("dequantize", found, half, zero).tolist() == restored


def test_an_attribute_of_another_release_is_not_guessed(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    text = reduce(lambda text, sign: text.replace(*sign), UNSIGNED.items(), QUANTIZATION)
    other = generic(iree_toolchain(), text).replace("input_unsigned", "all_unsigned")
    with pytest.raises(Unsupported, match="dequantize_affine with all_unsigned"):
        Functions(other)("dequantize", np.zeros(4, np.int8), np.float32(0.5), np.int64(10))
