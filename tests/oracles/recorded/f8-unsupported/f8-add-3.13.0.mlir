func.func @f(%a: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  %r = arith.addf %a, %a : tensor<4xf8E5M2>
  return %r : tensor<4xf8E5M2>
}
