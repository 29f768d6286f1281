// Products too small for a normal number, which some processors flush to zero.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %k = arith.constant 1.0e-38 : f32
    %big = arith.constant 1.0e+30 : f32
    %s = arith.mulf %x, %k : f32
    %t = arith.mulf %s, %y : f32
    %q = arith.mulf %t, %k : f32
    %r = arith.mulf %t, %big : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
