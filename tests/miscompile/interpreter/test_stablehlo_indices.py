"""StableHLO's gather and scatter are evaluated as they are: their front end drops bounds checks."""

import numpy as np
import pytest

from tests.support.evaluating import Functions, f32, i32

pytestmark = pytest.mark.iree

TEXT = """
@rows(%a: tensor<4x2xi32>, %i: tensor<3x1xi32>) -> tensor<3x2xi32>:
  %r = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}
    : (tensor<4x2xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
@from_byte(%a: tensor<300xi32>, %i: tensor<2xui8>) -> tensor<2xi32>:
  %r = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1>} : (tensor<300xi32>, tensor<2xui8>) -> tensor<2xi32>
@windows(%a: tensor<2x4x5xi32>, %i: tensor<3x2x2xi32>) -> tensor<3x2x2xi32>:
  %r = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [1],
      start_index_map = [2, 1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1, 2>}
    : (tensor<2x4x5xi32>, tensor<3x2x2xi32>) -> tensor<3x2x2xi32>
@add(%a: tensor<4xi32>, %i: tensor<3x1xi32>, %u: tensor<3xi32>) -> tensor<4xi32>:
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<4xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<4xi32>
@set(%a: tensor<4xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<4xf32>:
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
@blocks(%a: tensor<3x5xi32>, %i: tensor<2x2xi32>, %u: tensor<2x2x2xi32>)
    -> tensor<3x5xi32>:
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2],
      scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>}
    : (tensor<3x5xi32>, tensor<2x2xi32>, tensor<2x2x2xi32>) -> tensor<3x5xi32>
@select(%a: tensor<2x3x2xi32>, %i: tensor<2x2xi32>) -> tensor<2x2x2xi32>:
  %r = "stablehlo.torch_index_select"(%a, %i) <{dim = 1 : i64, batch_dims = 1 : i64}>
    : (tensor<2x3x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
"""


def test_a_gather_clamps_its_indices(module: Functions) -> None:
    a = np.arange(8, dtype=np.int32).reshape(4, 2)
    rows = module("rows", a, i32(-5, 2, 100).reshape(3, 1))
    assert rows.tolist() == [[0, 1], [4, 5], [6, 7]]


def test_unsigned_indices_have_no_sign(module: Functions) -> None:
    found = module("from_byte", np.arange(300, dtype=np.int32), np.array([-56, 7], np.int8))
    assert found.tolist() == [200, 7]


def test_a_gather_of_windows_in_a_batch(module: Functions) -> None:
    a = np.arange(40, dtype=np.int32).reshape(2, 4, 5)
    i = np.array([[[0, 0], [3, 1]], [[9, 2], [1, 3]], [[2, 9], [-1, 0]]], np.int32)
    found = module("windows", a, i)
    for n, b in np.ndindex(3, 2):
        column, row = min(max(i[n, b, 0], 0), 3), min(max(i[n, b, 1], 0), 3)
        assert found[n, :, b].tolist() == a[b, row, column : column + 2].tolist()


def test_a_scatter_drops_what_is_out_of_bounds(module: Functions) -> None:
    a, u = i32(1, 1, 1, 1), i32(10, 20, 30)
    assert module("add", a, i32(-1, 4, 2).reshape(3, 1), u).tolist() == [1, 1, 31, 1]


def test_updates_of_one_element_that_add_up_have_one_result(module: Functions) -> None:
    (out,) = module.arrays("add", i32(0, 0, 0, 0), i32(2, 2, 3).reshape(3, 1), i32(1, 2, 4))
    assert (out.data.tolist(), out.poison) == ([0, 0, 3, 4], None)


def test_updates_that_overwrite_each_other_have_none(module: Functions) -> None:
    (out,) = module.arrays("set", f32(0, 0, 0, 0), i32(2, 2, 3).reshape(3, 1), f32(1, 2, 4))
    assert out.mask().tolist() == [False, False, True, False]
    (out,) = module.arrays("set", f32(0, 0, 0, 0), i32(2, 2, 3).reshape(3, 1), f32(1, 1, 4))
    assert (out.data.tolist(), out.poison) == ([0, 0, 1, 4], None)


def test_a_window_that_is_partly_out_of_bounds_is_poison(module: Functions) -> None:
    updates = np.arange(1, 9, dtype=np.int32).reshape(2, 2, 2)
    (out,) = module.arrays(
        "blocks", np.zeros((3, 5), np.int32), np.array([[1, 0], [1, 4]]), updates
    )
    assert out.data[1:, 1:3].tolist() == [[1, 2], [5, 6]]
    assert np.argwhere(out.mask()).tolist() == [[0, 4], [1, 4]]


def test_parts_of_a_dimension_for_each_point_of_a_batch(module: Functions) -> None:
    a = np.arange(12, dtype=np.int32).reshape(2, 3, 2)
    (out,) = module.arrays("select", a, i32(2, 0, 1, 3).reshape(2, 2))
    assert out.data[0].tolist() == [[4, 5], [0, 1]] and out.data[1, 0].tolist() == [8, 9]
    assert out.mask().all(axis=-1).tolist() == [[False, False], [False, True]]
