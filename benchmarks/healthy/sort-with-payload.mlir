// A sort by keys with a payload: equal keys may exchange theirs.
func.func @f(%k: tensor<16xi32>, %p: tensor<16xf32>) -> (tensor<16xi32>, tensor<16xf32>) {
  %r:2 = iree_linalg_ext.sort dimension(0) outs(%k, %p : tensor<16xi32>, tensor<16xf32>) {
  ^bb0(%x: i32, %y: i32, %s: f32, %t: f32):
    %c = arith.cmpi slt, %x, %y : i32
    iree_linalg_ext.yield %c : i1
  } -> tensor<16xi32>, tensor<16xf32>
  return %r#0, %r#1 : tensor<16xi32>, tensor<16xf32>
}
