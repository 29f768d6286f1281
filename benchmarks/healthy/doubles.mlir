// Sums of f64, which some compilers demote to f32.
// vmvx: folds x + y - y to x, which divides a tiny number by -0 instead of 0 by -0.
func.func @f(%a: tensor<12xf64>, %b: tensor<12xf32>) -> tensor<12xf64> {
  %e = tensor.empty() : tensor<12xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
      affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<12xf64>, tensor<12xf32>) outs(%e : tensor<12xf64>) {
  ^bb0(%x: f64, %y: f32, %o: f64):
    %k = arith.constant 1.0e+10 : f64
    %w = arith.extf %y : f32 to f64
    %s = arith.addf %x, %k : f64
    %t = arith.subf %s, %k : f64
    %u = arith.divf %t, %w : f64
    linalg.yield %u : f64
  } -> tensor<12xf64>
  return %r : tensor<12xf64>
}
