func.func @f(%a: tensor<4xi8>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xi8>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: i8, %o: f32):
    %t = arith.bitcast %x : i8 to f8E4M3FN
    %r = arith.extf %t : f8E4M3FN to f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
