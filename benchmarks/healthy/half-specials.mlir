// Overflow of f16 to infinity, and numbers too small for it.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf16>, %b: tensor<24xf16>) -> tensor<24xf16> {
  %e = tensor.empty() : tensor<24xf16>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf16>, tensor<24xf16>) outs(%e : tensor<24xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %p = arith.mulf %x, %y : f16
    %w = arith.extf %p : f16 to f32
    %k = arith.constant 3.0e-08 : f32
    %t = arith.mulf %w, %k : f32
    %n = arith.truncf %t : f32 to f16
    %r = arith.addf %n, %x : f16
    linalg.yield %r : f16
  } -> tensor<24xf16>
  return %m : tensor<24xf16>
}
