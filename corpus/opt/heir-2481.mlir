func.func @second(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  return %b : tensor<4xi32>
}
