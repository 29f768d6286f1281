func.func @kernel_with_asm(%a: tensor<8x16xi64>) -> tensor<8x16xi64> {
  %e = tensor.empty() : tensor<8x16xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0,d1)->(d0,d1)>, affine_map<(d0,d1)->(d0,d1)>], iterator_types=["parallel","parallel"]} ins(%a : tensor<8x16xi64>) outs(%e : tensor<8x16xi64>) {
  ^bb0(%i: i64, %o: i64):
    %v = llvm.inline_asm "frobnicate $0, $1", "=r,r" %i : (i64) -> i64
    linalg.yield %v : i64
  } -> tensor<8x16xi64>
  return %r : tensor<8x16xi64>
}
