func.func @f(%a: tensor<8xi8>, %d: tensor<12xi8>) -> tensor<12xi8> {
  %e0 = tensor.empty() : tensor<8xi4>
  %s = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8xi8>) outs(%e0 : tensor<8xi4>) {
  ^bb0(%x0: i8, %o0: i4):
    %y0 = arith.trunci %x0 : i8 to i4
    linalg.yield %y0 : i4
  } -> tensor<8xi4>
  %e2 = tensor.empty() : tensor<12xi4>
  %t = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%d : tensor<12xi8>) outs(%e2 : tensor<12xi4>) {
  ^bb0(%x2: i8, %o2: i4):
    %y2 = arith.trunci %x2 : i8 to i4
    linalg.yield %y2 : i4
  } -> tensor<12xi4>
  %c = tensor.insert_slice %s into %t[3] [8] [1] : tensor<8xi4> into tensor<12xi4>
  %e1 = tensor.empty() : tensor<12xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%c : tensor<12xi4>) outs(%e1 : tensor<12xi8>) {
  ^bb0(%x1: i4, %o1: i8):
    %y1 = arith.extsi %x1 : i4 to i8
    linalg.yield %y1 : i8
  } -> tensor<12xi8>
  return %r : tensor<12xi8>
}
