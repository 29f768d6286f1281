// NaN from a logarithm or a root that a selection drops.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %l = math.log %x : f32
    %s = math.sqrt %x : f32
    %c = arith.cmpf ogt, %x, %z : f32
    %t = arith.addf %l, %s : f32
    %r = arith.select %c, %t, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
