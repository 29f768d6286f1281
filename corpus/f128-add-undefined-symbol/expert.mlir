#map = affine_map<(d0) -> (d0)>
func.func @f(%arg0: tensor<4xf128>) -> tensor<4xf128> {
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%arg0 : tensor<4xf128>) {
  ^bb0(%out: f128):
    %1 = arith.addf %out, %out : f128
    linalg.yield %1 : f128
  } -> tensor<4xf128>
  return %0 : tensor<4xf128>
}
