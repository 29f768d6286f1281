// Dynamic sizes that are collapsed, transposed and expanded.
func.func @f(%a: tensor<?x6xf32>) -> (tensor<?xf32>, tensor<3x2x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x6xf32>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<?x6xf32> into tensor<?xf32>
  %e = tensor.empty(%n) : tensor<6x?xf32>
  %t = linalg.transpose ins(%a : tensor<?x6xf32>) outs(%e : tensor<6x?xf32>) permutation = [1, 0]
  %x = tensor.expand_shape %t [[0, 1], [2]] output_shape [3, 2, %n]
      : tensor<6x?xf32> into tensor<3x2x?xf32>
  return %c, %x : tensor<?xf32>, tensor<3x2x?xf32>
}
