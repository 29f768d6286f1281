// Powers of positive numbers that are not too large.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xi32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xi32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: f32, %y: i32, %o: f32):
    %two = arith.constant 2.0 : f32
    %eight = arith.constant 8.0 : f32
    %size = math.absf %x : f32
    %a2 = arith.minnumf %size, %eight : f32
    %half = arith.constant 0.5 : f32
    %b2 = arith.addf %a2, %half : f32
    %p = math.fpowi %b2, %y : f32, i32
    %q = math.powf %a2, %two : f32
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
