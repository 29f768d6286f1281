// A division, rounded to even, clamped and cast to an unsigned byte.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xf32>) -> tensor<24xi8> {
  %e = tensor.empty() : tensor<24xi8>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xi8>) {
  ^bb0(%x: f32, %y: f32, %o: i8):
    %m0 = math.absf %y : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %m0, %one : f32
    %lo = arith.constant 0.0 : f32
    %hi = arith.constant 255.0 : f32
    %d = arith.divf %x, %s : f32
    %t = math.roundeven %d : f32
    %u = arith.maximumf %t, %lo : f32
    %v = arith.minimumf %u, %hi : f32
    %c = arith.fptoui %v : f32 to i16
    %r = arith.trunci %c : i16 to i8
    linalg.yield %r : i8
  } -> tensor<24xi8>
  return %m : tensor<24xi8>
}
