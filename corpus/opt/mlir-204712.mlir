#sparse = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed, j : compressed) }>
func.func @expansion(%t: tensor<8x8xf64, #sparse>) -> index {
  %v, %f, %a, %n = sparse_tensor.expand %t : tensor<8x8xf64, #sparse> to memref<?xf64>, memref<?xi1>, memref<?xindex>
  return %n : index
}
