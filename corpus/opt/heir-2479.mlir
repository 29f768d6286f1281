func.func @xor(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  %r = arith.xori %a, %b : tensor<8xi32>
  return %r : tensor<8xi32>
}
