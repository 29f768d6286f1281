func.func @f(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %v = tensor.insert_slice %b into %a[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %a, %v : tensor<4xf32>, tensor<4xf32>
}
