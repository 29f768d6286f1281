// Products and comparisons of 64 bits, of which only the high half differs.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi64>, %b: tensor<24xi32>) -> tensor<24xi32> {
  %e = tensor.empty() : tensor<24xi32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi64>, tensor<24xi32>) outs(%e : tensor<24xi32>) {
  ^bb0(%x: i64, %y: i32, %o: i32):
    %k = arith.constant 4294967311 : i64
    %w = arith.extsi %y : i32 to i64
    %m = arith.muli %x, %k : i64
    %c = arith.cmpi ult, %m, %w : i64
    %d = arith.constant 32 : i64
    %h = arith.shrui %m, %d : i64
    %s = arith.select %c, %h, %w : i64
    %r = arith.trunci %s : i64 to i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  return %m : tensor<24xi32>
}
