// All ways to round, of halves and of huge numbers.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.round %x : f32
    %q = math.roundeven %x : f32
    %t = math.floor %x : f32
    %u = math.floor %x : f32
    %w = math.ceil %x : f32
    %s1 = arith.subf %p, %q : f32
    %s2 = arith.subf %u, %w : f32
    %s3 = arith.mulf %s1, %s2 : f32
    %r = arith.addf %s3, %t : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
