func.func @g(%a: tensor<16x4xf8E4M3FN>, %b: tensor<16x4xf8E4M3FN>) -> tensor<16x4xf8E4M3FN> {
  %r = arith.mulf %a, %b : tensor<16x4xf8E4M3FN>
  return %r : tensor<16x4xf8E4M3FN>
}
