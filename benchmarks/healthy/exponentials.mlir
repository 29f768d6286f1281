// Exponential functions that overflow and underflow, and their inverses.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.exp2 %x : f32
    %q = math.expm1 %x : f32
    %p0 = math.absf %x : f32
    %s = math.log1p %p0 : f32
    %t = math.log2 %p : f32
    %u = arith.divf %q, %p : f32
    %v = arith.addf %s, %u : f32
    %r = arith.addf %v, %t : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
