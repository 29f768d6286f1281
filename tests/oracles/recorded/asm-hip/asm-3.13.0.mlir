func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>, affine_map<(d0)->(d0)>], iterator_types=["parallel"]} ins(%a : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%i: i32, %o: i32):
    %v = llvm.inline_asm "nosuchinsn $0, $1", "=r,r" %i : (i32) -> i32
    linalg.yield %v : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}
