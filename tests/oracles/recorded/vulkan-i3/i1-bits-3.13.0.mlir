func.func @f(%a: tensor<4xi3>) -> tensor<4xi3> {
  %r = arith.addi %a, %a : tensor<4xi3>
  return %r : tensor<4xi3>
}
