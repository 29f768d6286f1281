// Sums of numbers of eight bits, which are computed with more.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf8E5M2>, %b: tensor<24xf8E5M2>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf8E5M2>, tensor<24xf8E5M2>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f8E5M2, %y: f8E5M2, %o: f32):
    %p = arith.addf %x, %y : f8E5M2
    %q = arith.mulf %p, %y : f8E5M2
    %r = arith.extf %q : f8E5M2 to f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
