// Slices of a tensor that are written while the tensor is still read.
func.func @f(%a: tensor<8xf32>, %b: tensor<3xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %p = tensor.insert_slice %b into %a[0] [3] [1] : tensor<3xf32> into tensor<8xf32>
  %s = tensor.extract_slice %p[0] [6] [1] : tensor<8xf32> to tensor<6xf32>
  %q = tensor.insert_slice %s into %p[2] [6] [1] : tensor<6xf32> into tensor<8xf32>
  %t = tensor.extract_slice %a[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %u = tensor.insert_slice %t into %q[1] [4] [2] : tensor<4xf32> into tensor<8xf32>
  return %q, %u : tensor<8xf32>, tensor<8xf32>
}
