// Padding that nobody has written, of which a slice keeps one row.
func.func @f(%a: tensor<5x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %p = tensor.insert_slice %a into %e[1, 0] [5, 4] [1, 1] : tensor<5x4xf32> into tensor<8x4xf32>
  %r = tensor.extract_slice %p[1, 0] [6, 4] [1, 1] : tensor<8x4xf32> to tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}
