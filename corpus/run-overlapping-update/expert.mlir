func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s = tensor.extract_slice %a[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
  %r = tensor.insert_slice %s into %a[1] [3] [1] : tensor<3xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}
