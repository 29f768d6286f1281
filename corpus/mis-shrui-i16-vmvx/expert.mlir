func.func @f(%a: tensor<4xi16>) -> tensor<4xi16> {
  %e = tensor.empty() : tensor<4xi16>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xi16>) outs(%e : tensor<4xi16>) {
  ^bb0(%x: i16, %o: i16):
    %c = arith.constant 2 : i16
    %r = arith.shrui %x, %c : i16
    linalg.yield %r : i16
  } -> tensor<4xi16>
  return %r : tensor<4xi16>
}
