// A division by a divisor that is made 1 where it would be 0.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi32>, %b: tensor<24xi32>) -> tensor<24xi32> {
  %e = tensor.empty() : tensor<24xi32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi32>, tensor<24xi32>) outs(%e : tensor<24xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %is = arith.cmpi eq, %y, %zero : i32
    %d = arith.select %is, %one, %y : i32
    %q = arith.floordivsi %x, %d : i32
    %r = arith.select %is, %zero, %q : i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  return %m : tensor<24xi32>
}
