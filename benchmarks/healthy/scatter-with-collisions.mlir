// A scatter with unique indices unless the inputs repeat them, in which case any of them may win.
func.func @f(%a: tensor<9xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<9xf32> {
  %r = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
      ins(%u, %i : tensor<4xf32>, tensor<4x1xi32>) outs(%a : tensor<9xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    iree_linalg_ext.yield %s : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}
