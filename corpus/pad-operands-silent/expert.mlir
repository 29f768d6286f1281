func.func @main(%arg0: tensor<f32>, %arg1: tensor<?xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%arg1 : tensor<?xf32>) outs(%arg0 : tensor<f32>) attrs =  {lowering_config = #iree_gpu.lowering_config<{padding = [16, 16, 0, 4]}>} {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %out : f32
  } -> tensor<f32>
  return
}
