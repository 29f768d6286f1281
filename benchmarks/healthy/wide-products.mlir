// The high half of a product, and a sum with carry.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi32>, %b: tensor<24xi32>) -> tensor<24xi32> {
  %e = tensor.empty() : tensor<24xi32>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi32>, tensor<24xi32>) outs(%e : tensor<24xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %lo, %hi = arith.mulsi_extended %x, %y : i32
    %ulo, %uhi = arith.mului_extended %x, %y : i32
    %sum, %carry = arith.addui_extended %hi, %uhi : i32, i1
    %c = arith.extui %carry : i1 to i32
    %t = arith.xori %sum, %lo : i32
    %r = arith.addi %t, %c : i32
    linalg.yield %r : i32
  } -> tensor<24xi32>
  return %m : tensor<24xi32>
}
