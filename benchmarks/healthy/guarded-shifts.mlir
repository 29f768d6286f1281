// Shifts that are not executed where they would be too far.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi32>, %b: tensor<24xi32>) -> tensor<24xi32> {
  %e = tensor.empty() : tensor<24xi32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi32>, tensor<24xi32>) outs(%e : tensor<24xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %w = arith.constant 32 : i32
    %zero = arith.constant 0 : i32
    %ok = arith.cmpi ult, %y, %w : i32
    %p = arith.shli %x, %y : i32
    %q = arith.shrsi %x, %y : i32
    %s = arith.addi %p, %q : i32
    %r = arith.select %ok, %s, %zero : i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  return %m : tensor<24xi32>
}
