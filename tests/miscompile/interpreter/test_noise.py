"""What rounding may change, and what it may not."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from reducer.miscompile.values.compare import compare
from reducer.miscompile.values.programs import Value
from reducer.toolchain import Toolchain
from tests.support.evaluating import Answers, answers, program_text

pytestmark = pytest.mark.iree

TEXT = program_text("noise")


def test_what_is_left_of_a_cancellation_is_slack(values: Answers) -> None:
    (result,) = values("cancels", "2xf32=7 10")
    assert result.slack is not None and max(result.slack) > 1e-7
    assert result.elements is not None
    off = Value(result.type, tuple(one + 1e-6 for one in result.elements))
    assert not compare([off], [result])
    wrong = Value(result.type, tuple(one + 1e-3 for one in result.elements))
    assert compare([wrong], [result])


def test_what_depends_on_the_last_digit_is_undefined(values: Answers) -> None:
    found = [values("compares", f"2xf32={n} {n + 1}") for n in (5, 7, 11, 13)]
    for number in (0, 1):
        masks = [result[number].defined for result in found]
        assert any(mask is not None and not all(mask) for mask in masks)


def test_what_may_jump_is_slack_wherever_it_does(values: Answers) -> None:
    """The tanh of -8 is a few digits above -1: it rounds up to 0, but -1 is as close."""
    (result,) = values("jumps", "8xf32=-8 -8.2 -8.5 -1 -1 -1 -1 -1")
    assert tuple(result.elements) == (0,) * 8
    assert tuple(result.slack) == (8, 8, 8, 0, 0, 0, 0, 0)


def test_exact_results_have_no_slack(values: Answers) -> None:
    for result in (*values("exact", "2xf32=3 0"), *values("narrows", "2xf32=0.3 17.7")):
        assert result.slack is None and result.defined is None


def test_sums(values: Answers) -> None:
    (exact,) = values("sum", "4xf32=1 2 3 4")
    assert exact.slack is None and tuple(exact.elements) == (1e9,)
    (rounded,) = values("sum", "4xf32=0.1 0.7 -0.6 -0.2")
    assert rounded.slack is not None and rounded.slack[0] > 0.1


def test_the_order_of_a_sum_is_free(values: Answers) -> None:
    (absorbed,) = values("sum", "4xf32=1e30 1 -1e30 3")
    assert tuple(absorbed.elements) == (3e8,) and absorbed.slack is not None
    assert absorbed.slack[0] >= 3e8  # from the last to the first, it is 0
    (stuck,) = values("matmul_f16", "1x2100xf16=1")
    assert tuple(stuck.elements) == (2048,)  # 2048 + 1 is not representable
    assert stuck.slack is not None and stuck.slack[0] >= 52  # but at once, it is 2100
    (short,) = values("matmul_f16", "1x2000xf16=1")
    assert tuple(short.elements) == (2000,) and short.slack is None


def test_no_order_is_taken_only_because_it_rounds_more(values: Answers) -> None:
    """All positive terms first, each step would round; but a term next to the other is exact."""
    terms = " ".join(f"{n} -{n - 1} -1" for n in range(3, 129, 2))
    (result,) = values("sum_bf16", f"1x189xbf16={terms}")
    assert tuple(result.elements) == (0,) and result.slack is None and result.defined is None


@pytest.mark.parametrize(("function", "size"), [("long_sum", "512"), ("long_product", "1x512")])
def test_a_sum_may_be_taken_one_by_one(values: Answers, function: str, size: str) -> None:
    """Each step rounds to 4096 here, and always in the same direction."""
    (result,) = values(function, f"{size}xf32=100050896")
    terms = np.full(512, 100050896, np.float32)
    stepwise = np.add.accumulate(np.array([-5.12e10, *terms], np.float32))[-1]
    assert result.elements is not None and abs(result.elements[0] - stepwise) > 1e5
    assert not compare([Value(result.type, (float(stepwise),))], [result])


def test_a_product_may_overflow_in_another_order(values: Answers) -> None:
    """With its large factors first, it is an infinity times zero."""
    for product in values("product", "1x4xf32=2.5 -1e30 0 -1e30"):
        assert tuple(product.defined) == (False,)
    for product in values("product", "1x4xf32=2.5 -1e10 0 -1e10"):
        assert product.defined is None and product.slack is None


def test_functions_may_lose_the_sign_of_a_zero(values: Answers) -> None:
    (result,) = values("zeros", "2xf32=-0 2")
    assert tuple(result.defined) == (False, True)


def test_subnormal_numbers_may_be_zero(values: Answers) -> None:
    flushed, normal = values("subnormal", "2xf32=2 0")
    assert flushed.elements == pytest.approx((0.2, 0))
    assert flushed.slack is not None and flushed.slack[0] > 0.2
    assert normal.slack is None


def test_an_approximation_need_not_be_exact(values: Answers) -> None:
    """The cube root of 8 may be 2.0000002, and the square root of 4 may not."""
    cubic, square = values("approximated", "2xf32=8 4")
    assert cubic.slack is not None and cubic.slack[0] >= 1
    assert square.slack is None or not any(square.slack)


def test_functions_may_lose_small_numbers_next_to_one(values: Answers) -> None:
    """`(exp(x) - exp(-x)) / 2` does, and `expm1` is there not to."""
    hyperbolic, exponential = values("small", "2xf32=1e-30 1e-30")
    assert hyperbolic.slack is not None and min(hyperbolic.slack) > 1e-30
    assert exponential.slack is not None and max(exponential.slack) < 1e-33


def test_complex_numbers_are_rounded(values: Answers) -> None:
    (whole,) = values("complex", "2xf32=5 10")
    assert whole.slack is not None and all(slack >= 1 for slack in whole.slack)


def test_a_reciprocal_may_be_estimated(values: Answers) -> None:
    """With `arcp`, half of a number may be off where nothing has to be rounded."""
    (half,) = values("estimated", "2xf32=1 8")
    assert half.slack is not None and all(half.slack)


def test_arithmetic_of_stablehlo_is_rounded(values: Answers) -> None:
    (whole,) = values("stablehlo", "2xf32=5 10")
    assert whole.slack is not None and all(slack >= 1 for slack in whole.slack)


@pytest.mark.parametrize("name", ["stablehlo_sum", "stablehlo_dot"])
def test_the_order_of_a_sum_of_stablehlo_is_free(values: Answers, name: str) -> None:
    """One element after the other, a sum of bf16 stops at 256; halves lose nothing."""
    (total,) = values(name, "256xbf16=" + " ".join(["1.25"] * 256))
    exact = 320 if name.endswith("sum") else 400
    assert total.elements is not None and total.slack is not None
    assert abs(total.elements[0] - exact) <= total.slack[0] + 0.01 * exact
    assert total.slack[0] > 0


def test_a_variance_may_be_what_is_left_of_the_squares(values: Answers) -> None:
    """The mean of the squares, less the square of the mean, loses digits of numbers far from 0."""
    (variance,) = values("variance", "4x1xf32=1000.1 1000.2 1000.3 1000.4")
    assert variance.elements is not None and variance.slack is not None
    assert abs(variance.elements[0] - 0.0125) < 1e-4 and variance.slack[0] > 0.01


def test_a_transform_has_the_digits_of_its_largest_number(values: Answers) -> None:
    (sums,) = values("transform", "4xf32=1000.1 0.1 -1000.1 0.3")
    assert sums.slack is not None and all(slack > 1e-4 for slack in sums.slack)


def test_nobody_knows_where_a_nan_is_sorted(values: Answers) -> None:
    """What has no logarithm is a NaN of either sign, and so comes first or last."""
    (order,) = values("in_total_order", "3xf32=1 -1 8")
    assert order.defined is not None and not order.defined[0] and not order.defined[2]
    (order,) = values("in_total_order", "3xf32=8 1 2")
    assert order.elements is not None and order.defined is None
    assert order.elements[0] == 0


SIGNS = """
func.func @f(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>) {
  %0 = math.ceil %a : tensor<3xf32>
  %1 = math.cbrt %0 : tensor<3xf32>
  %2 = arith.addf %0, %0 fastmath<nsz> : tensor<3xf32>
  %3 = arith.fptosi %0 : tensor<3xf32> to tensor<3xi32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>
}
"""


@pytest.mark.parametrize("signs", [True, False])
def test_whether_a_zero_has_the_right_sign(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path, signs: bool
) -> None:
    """That of a function that is approximated may be either, and that of an op with `nsz`."""
    call = answers(iree_toolchain(), SIGNS, signs=signs)
    rounded, root, sum_, whole = call("f", "3xf32=-0.5 0.5 -0")
    assert rounded.elements is not None and math.copysign(1, rounded.elements[0]) == -1
    assert tuple(rounded.signed) == (signs, True, signs)
    assert tuple(root.signed) == (False, True, False)
    assert tuple(sum_.signed) == (False, True, False)
    assert whole.signed is None


UNDERFLOW = """
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.mulf %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


@pytest.mark.parametrize("signs", [True, False])
def test_a_number_too_small_for_its_type_becomes_a_zero_of_its_sign(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path, signs: bool
) -> None:
    call = answers(iree_toolchain(), UNDERFLOW, signs=signs)
    (product,) = call("f", "2xf32=1e-30 -1e-30", "2xf32=1e-30 1e-30")
    assert product.elements is not None
    assert [math.copysign(1, one) for one in product.elements] == [1, -1]
    assert tuple(product.signed) == (True, signs)


SUMS = """
#map = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (i)>
func.func @sum(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>, %c: tensor<3xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = linalg.generic {indexing_maps = [#map, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x2xf32>) outs(%c : tensor<3xf32>) {
  ^bb0(%x: f32, %old: f32):
    %s = arith.addf %old, %x : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #sum],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<3x2xf32>, tensor<3x2xf32>) outs(%c : tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %2 = linalg.generic {indexing_maps = [#map, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x2xf32>) outs(%c : tensor<3xf32>) {
  ^bb0(%x: f32, %old: f32):
    %s = arith.mulf %old, %x : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
"""


def test_a_sum_of_nothing_but_negative_zeros_has_either_sign(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """Who splits it starts each part with 0. A product of zeros has one sign in any order."""
    call = answers(iree_toolchain(), SUMS, signs=True)
    sums = call("sum", "3x2xf32=-0 -0 -0 0 1 -1", "3x2xf32=1 1 1 1 1 1", "3xf32=-0 -0 -0")
    assert tuple(sums[0].elements) == tuple(sums[1].elements) == (0, 0, 0)
    assert tuple(sums[0].signed) == tuple(sums[1].signed) == (False, True, True)
    assert tuple(sums[2].signed) == (True, True, True)
    assert sums[2].elements is not None
    assert [math.copysign(1, one) for one in sums[2].elements[:2]] == [-1, 1]
