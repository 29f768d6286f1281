func.func @f(%a: tensor<16xi8>) -> tensor<8xi8> {
  %e0 = tensor.empty() : tensor<16xi4>
  %s = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16xi8>) outs(%e0 : tensor<16xi4>) {
  ^bb0(%x0: i8, %o0: i4):
    %y0 = arith.trunci %x0 : i8 to i4
    linalg.yield %y0 : i4
  } -> tensor<16xi4>
  %t = util.optimization_barrier %s : tensor<16xi4>
  %c = tensor.extract_slice %t[1] [8] [1] : tensor<16xi4> to tensor<8xi4>
  %b = util.optimization_barrier %c : tensor<8xi4>
  %e1 = tensor.empty() : tensor<8xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%b : tensor<8xi4>) outs(%e1 : tensor<8xi8>) {
  ^bb0(%x1: i4, %o1: i8):
    %y1 = arith.extsi %x1 : i4 to i8
    linalg.yield %y1 : i8
  } -> tensor<8xi8>
  return %r : tensor<8xi8>
}
