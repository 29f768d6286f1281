func.func @f(%a: tensor<4xf16>) -> tensor<4xf16> {
  %e = tensor.empty() : tensor<4xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%x: f16, %o: f16):
    %c = arith.constant 0.00001 : f16
    %r = arith.mulf %x, %c : f16
    linalg.yield %r : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}
