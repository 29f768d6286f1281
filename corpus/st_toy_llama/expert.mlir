func.func @f(%n: index, %pages: tensor<4x?xi64>, %cache: tensor<?x4x16x32xf16>, %q: tensor<4x4x2x32xf16>, %v: tensor<4x?x4x16x32xf16>, %m: tensor<4x4x2x?x16xf16>, %scale: f32) -> tensor<4x4x2x32xf16> {
  %few = util.assume.int %n<umin = 1, umax = 7> : index
  %e = tensor.empty(%few) : tensor<4x?x4x16x32xf16>
  %k = iree_linalg_ext.gather dimension_map = [0] ins(%cache, %pages : tensor<?x4x16x32xf16>, tensor<4x?xi64>) outs(%e : tensor<4x?x4x16x32xf16>) -> tensor<4x?x4x16x32xf16>
  %o = tensor.empty() : tensor<4x4x2x32xf16>
  %a = iree_linalg_ext.attention <indexing_maps = [affine_map<(b, h, g, n, k, p, s) -> (b, h, g, k)>, affine_map<(b, h, g, n, k, p, s) -> (b, p, h, s, k)>, affine_map<(b, h, g, n, k, p, s) -> (b, p, h, s, n)>, affine_map<(b, h, g, n, k, p, s) -> ()>, affine_map<(b, h, g, n, k, p, s) -> (b, h, g, p, s)>, affine_map<(b, h, g, n, k, p, s) -> (b, h, g, n)>]> ins(%q, %k, %v, %scale, %m : tensor<4x4x2x32xf16>, tensor<4x?x4x16x32xf16>, tensor<4x?x4x16x32xf16>, f32, tensor<4x4x2x?x16xf16>) outs(%o : tensor<4x4x2x32xf16>) {
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  } -> tensor<4x4x2x32xf16>
  return %a : tensor<4x4x2x32xf16>
}
