"""Tensors: slices, reshapes, padding, packing, and what is out of bounds."""

import numpy as np
import pytest

from reducer.miscompile.interpreter.errors import UndefinedBehavior
from tests.support.evaluating import Functions, f32

pytestmark = pytest.mark.iree

TEXT = """
@slice(%a: tensor<?x?xf32>, %i: index, %n: index) -> tensor<?xf32>:
  %r = tensor.extract_slice %a[%i, 1] [1, %n] [1, 2] : tensor<?x?xf32> to tensor<?xf32>
@insert_slice(%a: tensor<2xf32>, %b: tensor<?x?xf32>, %i: index) -> tensor<?x?xf32>:
  %r = tensor.insert_slice %a into %b[%i, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x?xf32>
func.func @elements(%a: tensor<?xf32>, %i: index, %x: f32) -> (f32, tensor<?xf32>) {
  %e = tensor.extract %a[%i] : tensor<?xf32>
  %r = tensor.insert %x into %a[%i] : tensor<?xf32>
  return %e, %r : f32, tensor<?xf32>
}
func.func @reshape(%a: tensor<?x6xf32>, %n: index) -> (tensor<?xf32>, tensor<?x2x3xf32>) {
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<?x6xf32> into tensor<?xf32>
  %e = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  return %c, %e : tensor<?xf32>, tensor<?x2x3xf32>
}
@pad(%a: tensor<?x2xf32>, %n: index, %x: f32) -> tensor<?x5xf32>:
  %r = tensor.pad %a low[%n, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %x : f32
  } : tensor<?x2xf32> to tensor<?x5xf32>
@pad_to_three(%a: tensor<2xf32>, %n: index, %x: f32) -> tensor<3xf32>:
  %r = tensor.pad %a low[%n] high[0] {
  ^bb0(%i: index):
    tensor.yield %x : f32
  } : tensor<2xf32> to tensor<3xf32>
@generate(%n: index) -> tensor<?x3xindex>:
  %r = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %s = affine.apply affine_map<(d0, d1) -> (d0 * 10 + d1 mod 2)>(%i, %j)
    tensor.yield %s : index
  } : tensor<?x3xindex>
@concat(%a: tensor<2x?xf32>, %b: tensor<2x1xf32>) -> tensor<2x?xf32>:
  %r = tensor.concat dim(1) %a, %b : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
@partly(%a: tensor<2xf32>) -> tensor<4xf32>:
  %e = tensor.empty() : tensor<4xf32>
  %r = tensor.insert_slice %a into %e[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
@cast(%a: tensor<?xf32>) -> tensor<3xf32>:
  %r = tensor.cast %a : tensor<?xf32> to tensor<3xf32>
func.func @made(%x: f32, %y: f32) -> (tensor<2xf32>, tensor<2x2xf32>, index) {
  %e = tensor.from_elements %x, %y : tensor<2xf32>
  %s = tensor.splat %x : tensor<2x2xf32>
  %c1 = arith.constant 1 : index
  %d = tensor.dim %s, %c1 : tensor<2x2xf32>
  return %e, %s, %d : tensor<2xf32>, tensor<2x2xf32>, index
}
func.func @pack(%a: tensor<5x4xf32>, %x: f32) -> (tensor<3x2x2x2xf32>, tensor<5x4xf32>) {
  %e = tensor.empty() : tensor<3x2x2x2xf32>
  %p = linalg.pack %a padding_value(%x : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 2]
    into %e : tensor<5x4xf32> -> tensor<3x2x2x2xf32>
  %f = tensor.empty() : tensor<5x4xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 2]
    into %f : tensor<3x2x2x2xf32> -> tensor<5x4xf32>
  return %p, %u : tensor<3x2x2x2xf32>, tensor<5x4xf32>
}
func.func @constants() -> (tensor<2x2xf32>, tensor<3xi1>, tensor<2xi4>, tensor<4xbf16>, f32) {
  %a = arith.constant dense<[[1.5, 0x7F800000], [-2.0e-1, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %c = arith.constant dense<[-8, 7]> : tensor<2xi4>
  %d = arith.constant dense<1.0> : tensor<4xbf16>
  %e = arith.constant 0xFF800000 : f32
  return %a, %b, %c, %d, %e : tensor<2x2xf32>, tensor<3xi1>, tensor<2xi4>, tensor<4xbf16>, f32
}
func.func @resource() -> tensor<2xf32> {
  %a = arith.constant dense_resource<blob> : tensor<2xf32>
  return %a : tensor<2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F0000C040"
    }
  }
#-}
"""


MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_slices(module: Functions) -> None:
    assert module("slice", MATRIX, 2, 2).tolist() == [9, 11]
    out = module("insert_slice", f32(-1, -2), MATRIX, 1)
    assert out.tolist() == [[0, 1, 2, 3], [-1, -2, 6, 7], [8, 9, 10, 11]]
    assert MATRIX[1, 0] == 4


def test_slices_out_of_bounds(module: Functions) -> None:
    with pytest.raises(UndefinedBehavior, match=r"dimension 1, of size 4 \(tensor.extract_slice"):
        module("slice", MATRIX, 2, 3)
    with pytest.raises(UndefinedBehavior, match="out of bounds"):
        module("insert_slice", f32(1, 2), MATRIX, 3)


def test_single_elements(module: Functions) -> None:
    element, tensor = module.all("elements", f32(1, 2, 3), 1, np.float32(9))
    assert element == 2 and tensor.tolist() == [1, 9, 3]
    with pytest.raises(
        UndefinedBehavior, match="index 3 is out of bounds of dimension 0, of size 3"
    ):
        module.all("elements", f32(1, 2, 3), 3, np.float32(9))


def test_reshapes(module: Functions) -> None:
    flat, cube = module.all("reshape", MATRIX.reshape(2, 6), 2)
    assert flat.shape == (12,) and cube.shape == (2, 2, 3)
    with pytest.raises(UndefinedBehavior, match="reshape"):
        module.all("reshape", MATRIX.reshape(2, 6), 3)


def test_padding(module: Functions) -> None:
    out = module("pad", f32(1, 2).reshape(1, 2), 1, np.float32(7))
    assert out.tolist() == [[7, 7, 7, 7, 7], [7, 1, 2, 7, 7]]


def test_padding_to_another_size_than_the_type_says_is_undefined(module: Functions) -> None:
    assert module("pad_to_three", f32(1, 2), 1, np.float32(7)).tolist() == [7, 1, 2]
    with pytest.raises(UndefinedBehavior, match=r"a result of shape \[4\] for tensor<3xf32>"):
        module("pad_to_three", f32(1, 2), 2, np.float32(7))


def test_computed_elements(module: Functions) -> None:
    assert module("generate", 2).tolist() == [[0, 1, 0], [10, 11, 10]]


def test_making_tensors(module: Functions) -> None:
    elements, splat, size = module.all("made", np.float32(3), np.float32(4))
    assert elements.tolist() == [3, 4] and splat.tolist() == [[3, 3], [3, 3]] and size == 2
    out = module("concat", f32(1, 2).reshape(2, 1), f32(3, 4).reshape(2, 1))
    assert out.tolist() == [[1, 3], [2, 4]]


def test_uninitialized_elements_are_poison(module: Functions) -> None:
    assert module.poison("partly", f32(1, 2)).tolist() == [True, False, False, True]


def test_a_cast_checks_the_shape(module: Functions) -> None:
    assert module("cast", f32(1, 2, 3)).shape == (3,)
    with pytest.raises(UndefinedBehavior, match="a cast of shape"):
        module("cast", f32(1, 2))


def test_packing(module: Functions) -> None:
    a = np.arange(20, dtype=np.float32).reshape(5, 4)
    packed, unpacked = module.all("pack", a, np.float32(-1))
    whole = np.concatenate([a, np.full((1, 4), -1, np.float32)])
    np.testing.assert_array_equal(packed, whole.reshape(3, 2, 2, 2).transpose(0, 2, 1, 3))
    np.testing.assert_array_equal(unpacked, a)


def test_constants(module: Functions) -> None:
    a, b, c, d, e = module.all("constants")
    np.testing.assert_array_equal(a, np.float32([[1.5, np.inf], [-0.2, 4]]))
    assert b.tolist() == [True, False, True] and c.tolist() == [-8, 7]
    assert d.astype(float).tolist() == [1] * 4 and e == -np.inf
    assert module("resource").tolist() == [1, 6]
