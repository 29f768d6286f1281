// Angles of all sizes, where the argument is not reduced alike.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.sin %x : f32
    %q = math.cos %x : f32
    %t = math.tan %x : f32
    %s = math.atan2 %p, %q : f32
    %r = arith.addf %s, %t : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
