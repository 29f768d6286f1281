// The bits of a NaN that was computed are anything.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xf32>) -> tensor<24xi32> {
  %e = tensor.empty() : tensor<24xi32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xi32>) {
  ^bb0(%x: f32, %y: f32, %o: i32):
    %z = arith.subf %x, %x : f32
    %q = arith.divf %z, %z : f32
    %s = arith.maximumf %q, %y : f32
    %r = arith.bitcast %s : f32 to i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  return %m : tensor<24xi32>
}
