// A signed boolean is 0 or -1, an unsigned one 0 or 1.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi1>, %b: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi1>, tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%x: i1, %y: f32, %o: f32):
    %p = arith.sitofp %x : i1 to f32
    %q = arith.uitofp %x : i1 to f32
    %s = arith.extsi %x : i1 to i8
    %t = arith.sitofp %s : i8 to f32
    %u = arith.mulf %p, %y : f32
    %v = arith.addf %u, %q : f32
    %r = arith.subf %v, %t : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %m : tensor<24xf32>
}
