// Tensors of no elements beside one that has some.
func.func @f(%a: tensor<0x4xf32>, %b: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<0x4xf32>) {
  %r = tensor.concat dim(0) %a, %b : (tensor<0x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %s = arith.addf %a, %a : tensor<0x4xf32>
  return %r, %s : tensor<3x4xf32>, tensor<0x4xf32>
}
