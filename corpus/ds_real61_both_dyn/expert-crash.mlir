#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<?x64xf16>, %n: i64, %s: tensor<?xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %i = arith.index_cast %n : i64 to index
  %e = tensor.empty(%i) : tensor<?x64xf32>
  %0 = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x64xf16>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%in: f16, %out: f32):
    %2 = arith.extf %in : f16 to f32
    linalg.yield %2 : f32
  } -> tensor<?x64xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<?x64xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.addf %in, %out : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %0, %1 : tensor<?x64xf32>, tensor<?xf32>
}
