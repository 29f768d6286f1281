// Unsigned casts of numbers of which some are negative, and back.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xi8>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xi8>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %y: i8, %o: f32):
    %u = arith.fptoui %x : f32 to i8
    %w = arith.uitofp %y : i8 to f32
    %v = arith.uitofp %u : i8 to f32
    %r = arith.addf %w, %v : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
