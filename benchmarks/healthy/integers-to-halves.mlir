// Integers that f16 cannot tell apart, or that are too large for it.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi32>, %b: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi32>, tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: i32, %y: f32, %o: f32):
    %k = arith.constant 1021 : i32
    %m = arith.muli %x, %k : i32
    %p = arith.sitofp %m : i32 to f32
    %q = arith.truncf %p : f32 to f16
    %w = arith.truncf %y : f32 to f16
    %s = arith.addf %q, %w : f16
    %r = arith.extf %s : f16 to f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
