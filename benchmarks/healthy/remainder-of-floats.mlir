// The remainder of a division of floats, also of infinity and by zero.
// vmvx: rounds the quotient
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.remf %x, %y : f32
    %k = arith.constant 0.75 : f32
    %q = arith.remf %x, %k : f32
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
