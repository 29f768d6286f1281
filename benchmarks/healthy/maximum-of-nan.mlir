// The maximum of rows with NaN: one propagates it, the other ignores it.
func.func @f(%a: tensor<6x33xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<6x33xf32>)
      outs(%i, %i : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%x: f32, %p: f32, %q: f32):
    %s = arith.maximumf %x, %p : f32
    %t = arith.maxnumf %x, %q : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<6xf32>, tensor<6xf32>)
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}
