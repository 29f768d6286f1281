@slice(%a: tensor<?x?xf32>, %i: index, %n: index) -> tensor<?xf32>:
  %r = tensor.extract_slice %a[%i, 1] [1, %n] [1, 2] : tensor<?x?xf32> to tensor<?xf32>
// slice(count(3, 4), 2, 2) = [9, 11]
// slice(count(3, 4), 2, 3) fails: dimension 1, of size 4 (tensor.extract_slice
@insert_slice(%a: tensor<2xf32>, %b: tensor<?x?xf32>, %i: index) -> tensor<?x?xf32>:
  %r = tensor.insert_slice %a into %b[%i, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x?xf32>
// insert_slice([-1, -2], count(3, 4), 1) = [[0, 1, 2, 3], [-1, -2, 6, 7], [8, 9, 10, 11]]
// insert_slice([1, 2], count(3, 4), 3) fails: out of bounds
func.func @elements(%a: tensor<?xf32>, %i: index, %x: f32) -> (f32, tensor<?xf32>) {
  %e = tensor.extract %a[%i] : tensor<?xf32>
  %r = tensor.insert %x into %a[%i] : tensor<?xf32>
  return %e, %r : f32, tensor<?xf32>
}
// elements([1, 2, 3], 1, 9) = 2, [1, 9, 3]
// elements([1, 2, 3], 3, 9) fails: index 3 is out of bounds of dimension 0, of size 3
func.func @reshape(%a: tensor<?x6xf32>, %n: index) -> (tensor<?xf32>, tensor<?x2x3xf32>) {
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<?x6xf32> into tensor<?xf32>
  %e = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  return %c, %e : tensor<?xf32>, tensor<?x2x3xf32>
}
// reshape(count(2, 6), 2) = range(12), count(2, 2, 3)
// reshape(count(2, 6), 3) fails: reshape
@pad(%a: tensor<?x2xf32>, %n: index, %x: f32) -> tensor<?x5xf32>:
  %r = tensor.pad %a low[%n, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %x : f32
  } : tensor<?x2xf32> to tensor<?x5xf32>
// pad([[1, 2]], 1, 7) = [[7, 7, 7, 7, 7], [7, 1, 2, 7, 7]]
@pad_to_three(%a: tensor<2xf32>, %n: index, %x: f32) -> tensor<3xf32>:
  %r = tensor.pad %a low[%n] high[0] {
  ^bb0(%i: index):
    tensor.yield %x : f32
  } : tensor<2xf32> to tensor<3xf32>
// pad_to_three([1, 2], 1, 7) = [7, 1, 2]
// pad_to_three([1, 2], 2, 7) fails: a result of shape [4] for tensor<3xf32>
@generate(%n: index) -> tensor<?x3xindex>:
  %r = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %s = affine.apply affine_map<(d0, d1) -> (d0 * 10 + d1 mod 2)>(%i, %j)
    tensor.yield %s : index
  } : tensor<?x3xindex>
// generate(2) = [[0, 1, 0], [10, 11, 10]]
@concat(%a: tensor<2x?xf32>, %b: tensor<2x1xf32>) -> tensor<2x?xf32>:
  %r = tensor.concat dim(1) %a, %b : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
// concat([[1], [2]], [[3], [4]]) = [[1, 3], [2, 4]]
@partly(%a: tensor<2xf32>) -> tensor<4xf32>:
  %e = tensor.empty() : tensor<4xf32>
  %r = tensor.insert_slice %a into %e[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
// partly([1, 2]) = [P, 1, 2, P]
@cast(%a: tensor<?xf32>) -> tensor<3xf32>:
  %r = tensor.cast %a : tensor<?xf32> to tensor<3xf32>
// cast([1, 2, 3]) = [1, 2, 3]
// cast([1, 2]) fails: a cast of shape
func.func @made(%x: f32, %y: f32) -> (tensor<2xf32>, tensor<2x2xf32>, index) {
  %e = tensor.from_elements %x, %y : tensor<2xf32>
  %s = tensor.splat %x : tensor<2x2xf32>
  %c1 = arith.constant 1 : index
  %d = tensor.dim %s, %c1 : tensor<2x2xf32>
  return %e, %s, %d : tensor<2xf32>, tensor<2x2xf32>, index
}
// made(3, 4) = [3, 4], [[3, 3], [3, 3]], 2
func.func @pack(%a: tensor<5x4xf32>, %x: f32) -> (tensor<3x2x2x2xf32>, tensor<5x4xf32>) {
  %e = tensor.empty() : tensor<3x2x2x2xf32>
  %p = linalg.pack %a padding_value(%x : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 2]
    into %e : tensor<5x4xf32> -> tensor<3x2x2x2xf32>
  %f = tensor.empty() : tensor<5x4xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 2]
    into %f : tensor<3x2x2x2xf32> -> tensor<5x4xf32>
  return %p, %u : tensor<3x2x2x2xf32>, tensor<5x4xf32>
}
// pack(a := count(5, 4), -1) =
//   np.concatenate([a, np.full((1, 4), -1)]).reshape(3, 2, 2, 2).transpose(0, 2, 1, 3), a
func.func @constants() -> (tensor<2x2xf32>, tensor<3xi1>, tensor<2xi4>, tensor<4xbf16>, f32) {
  %a = arith.constant dense<[[1.5, 0x7F800000], [-2.0e-1, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %c = arith.constant dense<[-8, 7]> : tensor<2xi4>
  %d = arith.constant dense<1.0> : tensor<4xbf16>
  %e = arith.constant 0xFF800000 : f32
  return %a, %b, %c, %d, %e : tensor<2x2xf32>, tensor<3xi1>, tensor<2xi4>, tensor<4xbf16>, f32
}
// constants() ~ [[1.5, inf], [-0.2, 4]], [True, False, True], [-8, 7], [1] * 4, -inf
func.func @resource() -> tensor<2xf32> {
  %a = arith.constant dense_resource<blob> : tensor<2xf32>
  return %a : tensor<2xf32>
}
// resource() = [1, 6]
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F0000C040"
    }
  }
#-}
