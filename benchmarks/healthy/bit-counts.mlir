// Leading and trailing zeros of zero are the width.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi32>, %b: tensor<24xi8>) -> tensor<24xi32> {
  %e = tensor.empty() : tensor<24xi32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi32>, tensor<24xi8>) outs(%e : tensor<24xi32>) {
  ^bb0(%x: i32, %y: i8, %o: i32):
    %p = math.ctlz %x : i32
    %q = math.cttz %x : i32
    %s = math.ctpop %x : i32
    %w = math.ctlz %y : i8
    %v = arith.extui %w : i8 to i32
    %t = arith.addi %p, %q : i32
    %u = arith.shli %s, %v : i32
    %r = arith.xori %t, %u : i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  return %m : tensor<24xi32>
}
