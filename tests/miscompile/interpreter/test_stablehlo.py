"""StableHLO is evaluated as it is, so a mistake of the compiler's front end shows."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducer.miscompile.interpreter.dialects.names import STABLEHLO_OPS
from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.registry import known_ops
from reducer.toolchain import Toolchain
from tests.support.evaluating import Functions, f32, functions, i32
from tests.support.in_process import output_of

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
@dot(%a: tensor<2x3x4xf32>, %b: tensor<4x2x5xf32>) -> tensor<2x3x5xf32>:
  %r = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [0]
    : (tensor<2x3x4xf32>, tensor<4x2x5xf32>) -> tensor<2x3x5xf32>
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


def test_keys_of_which_each_comes_first_have_no_order_to_keep(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    text = TEXT.replace("STABLE", "true").replace("compare GT", "compare GE")
    keys, values = functions(iree_toolchain(), text).arrays(
        "sort", f32(1, 2, 1, 3), i32(0, 1, 2, 3)
    )
    assert keys.poison is None
    assert values.mask().tolist() == [False, False, True, True]


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
    flags = "--compile-to=input", "--iree-hal-target-backends=vmvx", "-o", "-"
    return output_of(toolchain.compile, text, *flags)


BITS_AND_SIZES = """
@rounded(%a: tensor<6xf32>) -> tensor<6xf32>:
  %r = stablehlo.reduce_precision %a, format = e5m2 : tensor<6xf32>
@no_digits(%a: tensor<2xf16>) -> tensor<2xf16>:
  %r = stablehlo.reduce_precision %a, format = e5m0 : tensor<2xf16>
@every_other(%a: tensor<5xf32>, %l: tensor<1xi32>) -> tensor<?xf32>:
  %s = stablehlo.constant dense<1> : tensor<1xi32>
  %t = stablehlo.constant dense<2> : tensor<1xi32>
  %r = "stablehlo.real_dynamic_slice"(%a, %s, %l, %t)
    : (tensor<5xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
@count(%s: tensor<2xi32>) -> tensor<2x?xi32>:
  %r = "stablehlo.dynamic_iota"(%s) <{iota_dimension = 1 : i64}>
    : (tensor<2xi32>) -> tensor<2x?xi32>
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.add %a, %a : tensor<2xf32>
  return %r : tensor<2xf32>
}
@whole(%a: tensor<2xf32>) -> tensor<3x2xf32>:
  %d = stablehlo.composite "my.op" %a {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
  %r = "stablehlo.broadcast"(%d) <{broadcast_sizes = array<i64: 3>}>
    : (tensor<2xf32>) -> tensor<3x2xf32>
@mapped(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32>:
  %r = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %d = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
"""


@pytest.fixture(scope="module")
def others(iree_toolchain: Callable[..., Toolchain]) -> Functions:
    return functions(iree_toolchain(), BITS_AND_SIZES)


def test_fewer_bits(others: Functions) -> None:
    """What the exponent does not hold is infinite or zero, so there are no subnormal numbers."""
    found = others("rounded", f32(1.125, 1.375, 61440, 65536, -(2.0**-15), -np.inf))
    assert found.tolist() == [1, 1.5, np.inf, np.inf, 0, -np.inf]
    assert np.signbit(found[4])


def test_without_digits_there_may_be_no_nan(others: Functions) -> None:
    (out,) = others.arrays("no_digits", np.array([1.75, np.nan], np.float16))
    assert (out.data[0], out.mask().tolist()) == (2, [False, True])


def test_a_subnormal_number_may_count_as_zero(others: Functions) -> None:
    assert others.poison("no_digits", np.array([6e-8, 1], np.float16)).tolist() == [True, False]


def test_sizes_that_are_computed(others: Functions) -> None:
    assert others("every_other", f32(0, 1, 2, 3, 4), i32(4)).tolist() == [1, 3]
    assert others("count", i32(2, 3)).tolist() == [[0, 1, 2]] * 2
    with pytest.raises(UndefinedBehavior, match="out of bounds"):
        others("every_other", f32(0, 1, 2, 3, 4), i32(6))
    with pytest.raises(UndefinedBehavior, match="shape"):
        others("count", i32(3, 3))


def test_a_composite_op_is_its_decomposition(others: Functions) -> None:
    assert others("whole", f32(1, 2)).tolist() == [[2, 4]] * 3


def test_a_body_for_each_element(others: Functions) -> None:
    assert others("mapped", f32(1, 2), f32(5, 3)).tolist() == [-4, -1]
