// Arithmetic of bytes that wraps, in several widths.
// vmvx: shifts bits in that do not belong to the byte
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi8>, %b: tensor<24xi8>) -> tensor<24xi8> {
  %e = tensor.empty() : tensor<24xi8>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi8>, tensor<24xi8>) outs(%e : tensor<24xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %w = arith.extsi %x : i8 to i16
    %u = arith.extui %y : i8 to i16
    %p = arith.muli %w, %u : i16
    %t = arith.trunci %p : i16 to i8
    %c = arith.constant 3 : i8
    %s = arith.shrsi %t, %c : i8
    %q = arith.minui %s, %y : i8
    %r = arith.maxsi %q, %x : i8
    linalg.yield %r : i8
  } -> tensor<24xi8>
  return %m : tensor<24xi8>
}
