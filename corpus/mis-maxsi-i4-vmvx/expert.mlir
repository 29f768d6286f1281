func.func @f(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %s = arith.trunci %x : i8 to i4
    %t = arith.trunci %y : i8 to i4
    %u = arith.maxsi %s, %t : i4
    %r = arith.extsi %u : i4 to i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  return %r : tensor<4xi8>
}
