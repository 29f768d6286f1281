// Running sums and products, inclusive and exclusive.
func.func @f(%a: tensor<12xf32>) -> tensor<12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12xf32>
  %et = tensor.empty() : tensor<f32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %t = linalg.fill ins(%zero : f32) outs(%et : tensor<f32>) -> tensor<f32>
  %r:2 = iree_linalg_ext.scan dimension(0) inclusive(false)
      ins(%a : tensor<12xf32>) outs(%o, %t : tensor<12xf32>, tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    iree_linalg_ext.yield %s : f32
  } -> tensor<12xf32>, tensor<f32>
  return %r#0 : tensor<12xf32>
}
