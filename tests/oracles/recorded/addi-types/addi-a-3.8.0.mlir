func.func @f(%a: tensor<4xi32>, %b: tensor<8xi32>) -> tensor<4xi32> {
  %r = "arith.addi"(%a, %b) : (tensor<4xi32>, tensor<8xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
