func.func @f(%a: tensor<4xf64>, %b: tensor<8x8xf64>) -> (tensor<4xf64>, tensor<8x8xf64>) {
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>, affine_map<(d0)->(d0)>], iterator_types=["parallel"]} ins(%a : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%i: f64, %o: f64):
    %v = llvm.inline_asm "nosuchinsn $0, $1", "=r,r" %i : (f64) -> f64
    linalg.yield %v : f64
  } -> tensor<4xf64>
  %e2 = tensor.empty() : tensor<8x8xf64>
  %r2 = linalg.generic {indexing_maps = [affine_map<(d0,d1)->(d1,d0)>, affine_map<(d0,d1)->(d0,d1)>], iterator_types=["parallel","parallel"]} ins(%b : tensor<8x8xf64>) outs(%e2 : tensor<8x8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %v = llvm.inline_asm "nosuchinsn $0, $1", "=r,r" %i : (f64) -> f64
    linalg.yield %v : f64
  } -> tensor<8x8xf64>
  return %r, %r2 : tensor<4xf64>, tensor<8x8xf64>
}
