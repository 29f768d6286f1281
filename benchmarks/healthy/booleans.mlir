// Comparisons of booleans: as a signed number, true is -1.
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<24xi1>, %b: tensor<24xi1>) -> tensor<24xi1> {
  %e = tensor.empty() : tensor<24xi1>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<24xi1>, tensor<24xi1>) outs(%e : tensor<24xi1>) {
  ^bb0(%x: i1, %y: i1, %o: i1):
    %p = arith.cmpi slt, %x, %y : i1
    %q = arith.cmpi ult, %x, %y : i1
    %s = arith.addi %x, %y : i1
    %t = arith.xori %p, %q : i1
    %m = arith.maxsi %t, %s : i1
    %r = arith.muli %m, %y : i1
    linalg.yield %r : i1
  } -> tensor<24xi1>
  return %m : tensor<24xi1>
}
