@gelu(%a: tensor<3xf32>) -> tensor<3xf32>:
  %r = chlo.erf %a : tensor<3xf32> -> tensor<3xf32>
// gelu([-0.5, 0, 2]) ~ [-0.5204998778, 0, 0.995322265]
func.func @top(%a: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  %r:2 = chlo.top_k(%a, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return %r#0, %r#1 : tensor<2x2xf32>, tensor<2x2xi32>
}
// One of two fives; and nobody says whether NaN is large.
// top([[1, 4, -2, 3], [5, 7, 5, 0]]) = [[4, 3], [7, 5]], [[1, 3], [1, P]]
// top([[1, 4, -2, 3], [5, nan, 6, 0]]) = [[4, 3], [P, P]], [[1, 3], [P, P]]
func.func @top_byte(%a: tensor<3xui8>) -> (tensor<2xui8>, tensor<2xi32>) {
  %r:2 = chlo.top_k(%a, k = 2) : tensor<3xui8> -> (tensor<2xui8>, tensor<2xi32>)
  return %r#0, %r#1 : tensor<2xui8>, tensor<2xi32>
}
// top_byte([1, 200, 100]) = [200, 100], [1, 2]
@less(%a: tensor<2x1xf32>, %b: tensor<3xf32>) -> tensor<2x3xi1>:
  %r = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>}
    : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xi1>
// less([[1], [2]], [0, 2, 3]) = [[False, True, True], [False, False, True]]
@columns(%a: tensor<2xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32>:
  %r = chlo.broadcast_subtract %a, %b {broadcast_dimensions = array<i64: 0>}
    : (tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
// columns([10, 20], [[1, 2, 3], [4, 5, 6]]) = [[9, 8, 7], [16, 15, 14]]
func.func @next(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>) {
  %s = chlo.square %a : tensor<2xf32> -> tensor<2xf32>
  %n = chlo.next_after %s, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %i = chlo.is_pos_inf %n : tensor<2xf32> -> tensor<2xi1>
  return %n, %i : tensor<2xf32>, tensor<2xi1>
}
// next([-2, inf]) = [np.nextafter(np.float32(4), np.float32(0)), inf], [False, True]
func.func @infinite(%a: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %r = chlo.is_inf %a : tensor<4xf32> -> tensor<4xi1>
  %s = chlo.is_pos_inf %a : tensor<4xf32> -> tensor<4xi1>
  %t = chlo.is_neg_inf %a : tensor<4xf32> -> tensor<4xi1>
  return %r, %s, %t : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
// infinite([-inf, inf, 1, nan]) =
//   [True, True, False, False], [False, True, False, False], [True, False, False, False]
