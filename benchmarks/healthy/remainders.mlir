// Remainders of both signs, added up: division by a constant, by strength reduction.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi32>, %b: tensor<24xi16>) -> tensor<24xi32> {
  %e = tensor.empty() : tensor<24xi32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi32>, tensor<24xi16>) outs(%e : tensor<24xi32>) {
  ^bb0(%x: i32, %y: i16, %o: i32):
    %c7 = arith.constant 7 : i32
    %m5 = arith.constant -5 : i32
    %p = arith.remsi %x, %c7 : i32
    %q = arith.remsi %x, %m5 : i32
    %w = arith.ceildivsi %x, %c7 : i32
    %e2 = arith.extsi %y : i16 to i32
    %u = arith.divsi %e2, %m5 : i32
    %s = arith.addi %p, %q : i32
    %t = arith.xori %s, %w : i32
    %r = arith.subi %t, %u : i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  return %m : tensor<24xi32>
}
