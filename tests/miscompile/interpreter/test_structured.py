"""Structured ops: bodies over whole arrays, reductions, windows, poison."""

from typing import Any

import numpy as np
import pytest

from reducer.miscompile.interpreter import structured
from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.values.elements import Numbers
from tests.support.evaluating import Functions, f32, i32

pytestmark = pytest.mark.iree

TEXT = """
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#diagonal = affine_map<(d0) -> (d0, d0)>
#d = affine_map<(d0) -> (d0)>

@elementwise(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32>:
  %r = linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%b : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>

@sum(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %q = math.absf %x : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>

func.func @argmax(%a: tensor<?x?xf32>, %v: tensor<?xf32>, %n: tensor<?xi32>) -> tensor<?xi32> {
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row],
      iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<?x?xf32>) outs(%v, %n : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%x: f32, %best: f32, %where: i32):
    %i = linalg.index 1 : index
    %here = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %x, %best : f32
    %b = arith.select %c, %x, %best : f32
    %w = arith.select %c, %here, %where : i32
    linalg.yield %b, %w : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  return %r#1 : tensor<?xi32>
}

@diagonal(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.generic {indexing_maps = [#diagonal, #d], iterator_types = ["parallel"]}
    ins(%a : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    linalg.yield %x : f32
  } -> tensor<?xf32>

@gather(%a: tensor<?xf32>, %n: tensor<?xi64>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.generic {indexing_maps = [#d, #d], iterator_types = ["parallel"]}
    ins(%n : tensor<?xi64>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: i64, %s: f32):
    %c0 = arith.constant 0 : i64
    %zero = arith.constant 0.0 : f32
    %i = arith.index_cast %x : i64 to index
    %e = tensor.extract %a[%i] : tensor<?xf32>
    %c = arith.cmpi slt, %x, %c0 : i64
    %f = arith.select %c, %zero, %e : f32
    linalg.yield %f : f32
  } -> tensor<?xf32>

@branches(%a: tensor<?xi32>) -> tensor<?xi32>:
  %r = linalg.generic {indexing_maps = [#d], iterator_types = ["parallel"]}
    outs(%a : tensor<?xi32>) {
  ^bb0(%x: i32):
    %c0 = arith.constant 0 : i32
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.cmpi eq, %x, %c0 : i32
    %f = scf.if %c -> i32 {
      scf.yield %n : i32
    } else {
      %q = arith.divsi %n, %x : i32
      scf.yield %q : i32
    }
    linalg.yield %f : i32
  } -> tensor<?xi32>

@loops(%a: tensor<?xi32>) -> tensor<?xi32>:
  %r = linalg.generic {indexing_maps = [#d], iterator_types = ["parallel"]}
    outs(%a : tensor<?xi32>) {
  ^bb0(%x: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %f = scf.for %i = %c0 to %x step %c1 iter_args(%s = %c0) -> i32 : i32 {
      %t = arith.addi %s, %i : i32
      scf.yield %t : i32
    }
    linalg.yield %f : i32
  } -> tensor<?xi32>

@matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32>:
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
    outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>

@matmul_i8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %o: tensor<?x?xi32>)
    -> tensor<?x?xi32>:
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>)
    outs(%o : tensor<?x?xi32>) -> tensor<?x?xi32>

@matmul_f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf16>)
    -> tensor<?x?xf16>:
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>)
    outs(%o : tensor<?x?xf16>) -> tensor<?x?xf16>

@conv(%a: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32>:
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>,
      dilations = dense<1> : tensor<2xi64>}
    ins(%a, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
    outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>

@pool(%a: tensor<1x?x?x?xf32>, %w: tensor<2x2xf32>, %o: tensor<1x?x?x?xf32>)
    -> tensor<1x?x?x?xf32>:
  %r = linalg.pooling_nhwc_max {strides = dense<1> : tensor<2xi64>,
      dilations = dense<1> : tensor<2xi64>}
    ins(%a, %w : tensor<1x?x?x?xf32>, tensor<2x2xf32>)
    outs(%o : tensor<1x?x?x?xf32>) -> tensor<1x?x?x?xf32>

@overwritten() -> tensor<4xf32>:
  %e = tensor.empty() : tensor<4xf32>
  %c = arith.constant 1.0 : f32
  %r = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>

@softmax(%a: tensor<2x3xf32>) -> tensor<2x3xf32>:
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>)
    -> tensor<2x3xf32>

@copied(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>:
  %r = linalg.copy ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>

@converted(%a: tensor<?xi32>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.copy ins(%a : tensor<?xi32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>

@transposed(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>:
  %r = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) permutation = [1, 0]

@normalized(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>:
  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>)
    -> tensor<?x?xf32>

@repeated(%a: tensor<?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>:
  %r = linalg.broadcast ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?x?xf32>) dimensions = [1]
"""


def numbers(*shape: int) -> Numbers:
    source = np.random.default_rng(sum(shape))
    return source.integers(-4, 5, shape).astype(np.float32)


@pytest.fixture(params=[1 << 21, 8], ids=["at once", "in boxes"])
def box(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structured, "BOX", request.param)


@pytest.mark.usefixtures("box")
def test_parallel_loops(module: Functions) -> None:
    a, b = numbers(5, 7), numbers(7, 5)
    np.testing.assert_array_equal(module("elementwise", a, b), a.T - b)


@pytest.mark.usefixtures("box")
def test_a_reduction_starts_from_the_output(module: Functions) -> None:
    a, out = numbers(5, 7), numbers(5)
    np.testing.assert_array_equal(module("sum", a, out), out + np.abs(a).sum(1))


@pytest.mark.usefixtures("box")
def test_a_reduction_that_depends_on_the_order(module: Functions) -> None:
    a = numbers(5, 7)
    lowest, zero = np.full(5, -np.inf, np.float32), np.zeros(5, np.int32)
    np.testing.assert_array_equal(module("argmax", a, lowest, zero), a.argmax(1))


def test_a_repeated_loop_is_a_diagonal(module: Functions) -> None:
    a = numbers(4, 4)
    np.testing.assert_array_equal(module("diagonal", a, numbers(4)), np.diagonal(a))


def test_indirect_reads(module: Functions) -> None:
    a = f32(10, 20, 30)
    assert module("gather", a, np.int64([2, 0]), f32(0, 0)).tolist() == [30, 10]
    (out,) = module.arrays("gather", a, np.int64([-1, 7]), f32(0, 0))
    assert out.mask().tolist() == [False, True]  # the first is not selected
    assert out.data[0] == 0


def test_points_may_take_different_branches(module: Functions) -> None:
    assert module("branches", i32(0, 1, 0, 2, 2)).tolist() == [0, 1, 2, 1, 2]


def test_points_may_loop_for_different_times(module: Functions) -> None:
    assert module("loops", i32(0, 1, 2, 3, 4)).tolist() == [0, 0, 1, 3, 6]


def test_matrix_products(module: Functions) -> None:
    a, b, out = numbers(4, 6), numbers(6, 5), numbers(4, 5)
    np.testing.assert_array_equal(module("matmul", a, b, out), out + a @ b)
    poisoned = module.arrays("matmul", a, b, out)[0]
    assert poisoned.poison is None


def test_integer_products_wrap_around(module: Functions) -> None:
    source = np.random.default_rng(1)
    a = source.integers(-128, 128, (3, 300)).astype(np.int8)
    b = source.integers(-128, 128, (300, 2)).astype(np.int8)
    out = np.full((3, 2), 2**31 - 1, np.int32)
    exact = a.astype(np.int64) @ b.astype(np.int64) + out
    np.testing.assert_array_equal(module("matmul_i8", a, b, out), exact.astype(np.int32))


def test_half_precision_sums_round_each_step(module: Functions) -> None:
    ones = np.ones((1, 2100), np.float16)
    (out,) = module.arrays("matmul_f16", ones, ones.T.copy(), np.zeros((1, 1), np.float16))
    assert out.data[0, 0] == 2048  # 2048 + 1 is not representable


def test_convolutions(module: Functions) -> None:
    a, k = numbers(2, 7, 8, 3), numbers(3, 2, 3, 4)
    expected = np.zeros((2, 3, 4, 4), np.float32)
    for h, w in np.ndindex(3, 4):
        window = a[:, 2 * h : 2 * h + 3, 2 * w : 2 * w + 2]
        expected[:, h, w] = np.einsum("nhwc,hwcf->nf", window, k)
    np.testing.assert_array_equal(module("conv", a, k, np.zeros_like(expected)), expected)


def test_a_window_out_of_bounds_is_undefined(module: Functions) -> None:
    a, k = numbers(2, 7, 8, 3), numbers(3, 2, 3, 4)
    with pytest.raises(UndefinedBehavior, match="index 8 is out of bounds"):
        module("conv", a, k, np.zeros((2, 4, 4, 4), np.float32))


@pytest.mark.usefixtures("box")
def test_pooling(module: Functions) -> None:
    a = numbers(1, 4, 5, 2)
    lowest = np.full((1, 3, 4, 2), -np.inf, np.float32)
    expected = np.lib.stride_tricks.sliding_window_view(a, (2, 2), (1, 2)).max((-1, -2))
    np.testing.assert_array_equal(
        module("pool", a, f32(0, 0, 0, 0).reshape(2, 2), lowest), expected
    )


def test_an_output_that_is_only_written_may_be_uninitialized(module: Functions) -> None:
    (out,) = module.arrays("overwritten")
    assert out.poison is None and out.data.tolist() == [1, 1, 1, 1]


def test_poison_stays_where_it_is(module: Functions) -> None:
    from reducer.miscompile.interpreter.values import Array

    bad = np.zeros((4, 6), np.bool_)
    bad[1, 2] = True
    a: Any = Array(numbers(4, 6), bad)
    (out,) = module.arrays("matmul", a, numbers(6, 5), numbers(4, 5))
    assert out.mask().any(1).tolist() == [False, True, False, False]
    (out,) = module.arrays("sum", a, numbers(4))
    assert out.mask().tolist() == [False, True, False, False]


def test_empty_loops(module: Functions) -> None:
    out = f32(1, 2)
    assert module("sum", np.zeros((2, 0), np.float32), out).tolist() == [1, 2]
    assert module("elementwise", np.zeros((0, 3), "f"), np.zeros((3, 0), "f")).shape == (3, 0)


def test_softmax(module: Functions) -> None:
    a = numbers(2, 3)
    powers = np.exp(a)
    np.testing.assert_allclose(module("softmax", a), powers / powers.sum(1, keepdims=True), 1e-6)
    assert module("normalized", *[np.zeros((2, 0), np.float32)] * 2).shape == (2, 0)


@pytest.mark.parametrize(
    ("name", "size", "wrong"),
    [("copied", (2, 3), (2, 2)), ("transposed", (3, 2), (2, 3)), ("normalized", (2, 3), (3, 3)),
     ("repeated", (2, 9, 3), (2, 3, 1))],
)  # fmt: skip
def test_sizes_that_the_verifier_does_not_compare(
    module: Functions, name: str, size: tuple[int, ...], wrong: tuple[int, ...]
) -> None:
    assert module(name, numbers(2, 3), numbers(*size)).shape == size
    with pytest.raises(UndefinedBehavior, match="different sizes"):
        module(name, numbers(2, 3), numbers(*wrong))


def test_a_copy_may_convert(module: Functions) -> None:
    made = module("converted", np.array([1, -2], np.int32), numbers(2))
    assert made.dtype == np.float32
    assert list(made) == [1, -2]


def test_operands_that_contradict_each_other(module: Functions) -> None:
    with pytest.raises(UndefinedBehavior, match="different sizes, 3 and 2"):
        module("matmul", numbers(2, 3), numbers(2, 2), numbers(2, 2))
