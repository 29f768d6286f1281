// The sign of a zero that was computed, seen as bits.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>, %b: tensor<24xf32>) -> tensor<24xi32> {
  %e = tensor.empty() : tensor<24xi32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xi32>) {
  ^bb0(%x: f32, %y: f32, %o: i32):
    %s = arith.mulf %x, %y : f32
    %t = arith.addf %s, %x : f32
    %bits = arith.bitcast %t : f32 to i32
    %c = arith.constant 31 : i32
    %r = arith.shrui %bits, %c : i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  return %m : tensor<24xi32>
}
