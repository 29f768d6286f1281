#id = affine_map<(i, j) -> (i, j)>
#sparse = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed, j : compressed) }>
func.func @sparsify(%t: tensor<4x4xf32>) -> tensor<4x4xf32, #sparse> {
  %e = tensor.empty() : tensor<4x4xf32, #sparse>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32, #sparse>) attrs = {sorted = true} {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x4xf32, #sparse>
  return %r : tensor<4x4xf32, #sparse>
}
