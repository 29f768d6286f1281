// A product that is rounded once, together with the sum.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xf32>, %c: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b, %c : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %p = math.fma %x, %y, %z : f32
    %m = arith.mulf %x, %y : f32
    %n = arith.negf %m : f32
    %q = arith.addf %n, %z : f32
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
