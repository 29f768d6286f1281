// The indices of equal numbers among the largest: which of them comes first is not said.
func.func @f(%a: tensor<2x12xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i32
  %ev = tensor.empty() : tensor<2x4xf32>
  %ei = tensor.empty() : tensor<2x4xi32>
  %v = linalg.fill ins(%low : f32) outs(%ev : tensor<2x4xf32>) -> tensor<2x4xf32>
  %i = linalg.fill ins(%c0 : i32) outs(%ei : tensor<2x4xi32>) -> tensor<2x4xi32>
  %r:2 = iree_linalg_ext.topk dimension(1) ins(%a : tensor<2x12xf32>)
      outs(%v, %i : tensor<2x4xf32>, tensor<2x4xi32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf ogt, %x, %y : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<2x4xf32>, tensor<2x4xi32>
  return %r#0, %r#1 : tensor<2x4xf32>, tensor<2x4xi32>
}
