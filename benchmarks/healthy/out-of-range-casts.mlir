// Floats that do not fit into an integer are poison, but not where they are clamped before.
// vmvx: rounds where it should truncate
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xf32>) -> tensor<24xi8> {
  %e = tensor.empty() : tensor<24xi8>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<24xf32>) outs(%e : tensor<24xi8>) {
  ^bb0(%x: f32, %o: i8):
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %p = arith.maxnumf %x, %lo : f32
    %q = arith.minnumf %p, %hi : f32
    %fits = arith.fptosi %q : f32 to i8
    %any = arith.fptosi %x : f32 to i8
    %c = arith.cmpf ogt, %x, %hi : f32
    %r = arith.select %c, %fits, %any : i8
    linalg.yield %r : i8
  } -> tensor<24xi8>
  return %m : tensor<24xi8>
}
