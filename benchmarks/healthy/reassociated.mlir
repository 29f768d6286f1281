// Sums that may be computed in another order, and without rounding in between.
// vmvx: folds x + y - y to x
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %k = arith.constant 1.0e+08 : f32
    %s = arith.addf %x, %k fastmath<reassoc,contract> : f32
    %t = arith.subf %s, %k fastmath<reassoc,contract> : f32
    %u = arith.mulf %t, %y fastmath<reassoc,contract> : f32
    %r = arith.addf %u, %x fastmath<reassoc,contract> : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
