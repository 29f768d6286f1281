// Both kinds of maximum of numbers that may be NaN, or zeros of either sign.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.maximumf %x, %y : f32
    %q = arith.minnumf %x, %y : f32
    %s = arith.minimumf %p, %q : f32
    %r = arith.maxnumf %s, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
