func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>) -> tensor<4x64x128xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<64x128xf32>) -> tensor<4x64x128xf32>
  return %1 : tensor<4x64x128xf32>
}
