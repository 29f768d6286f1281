// A tensor that is packed into tiles with padding, and unpacked again.
func.func @f(%a: tensor<5x7xf32>) -> (tensor<2x2x4x4xf32>, tensor<5x7xf32>) {
  %pad = arith.constant 2.5 : f32
  %e = tensor.empty() : tensor<2x2x4x4xf32>
  %d = tensor.empty() : tensor<5x7xf32>
  %p = linalg.pack %a padding_value(%pad : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 4]
      into %e : tensor<5x7xf32> -> tensor<2x2x4x4xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 4]
      into %d : tensor<2x2x4x4xf32> -> tensor<5x7xf32>
  return %p, %u : tensor<2x2x4x4xf32>, tensor<5x7xf32>
}
