func.func @sort(%k: tensor<?xf32>, %v: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %r:2 = "stablehlo.sort"(%k, %v) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %x = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %x : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<?xf32>, tensor<?xi32>)
    -> (tensor<?xf32>, tensor<?xi32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
}
// A stable sort keeps the order of equal keys.
// sort([1, 2, 1, 2], [0, 1, 2, 3]) = [2, 2, 1, 1], [1, 3, 0, 2]
func.func @reduce(%a: tensor<2x3x4xf32>) -> (tensor<3xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %0) applies stablehlo.add across dimensions = [0, 2]
    : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %m = stablehlo.reduce(%a init: %1) applies stablehlo.maximum across dimensions = [1]
    : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %s, %m : tensor<3xf32>, tensor<2x4xf32>
}
// reduce(a := count(2, 3, 4)) = a.sum((0, 2)), np.maximum(a.max(1), 1)
@dot(%a: tensor<2x3x4xf32>, %b: tensor<4x2x5xf32>) -> tensor<2x3x5xf32>:
  %r = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [0]
    : (tensor<2x3x4xf32>, tensor<4x2x5xf32>) -> tensor<2x3x5xf32>
// dot(a := count(2, 3, 4), b := count(4, 2, 5)) = np.einsum("brk,kbc->brc", a, b)
func.func @moved(%a: tensor<2x3xi32>, %x: tensor<i32>) -> (tensor<3x4x2xi32>, tensor<5x4xi32>) {
  %b = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<2x3xi32>) -> tensor<3x4x2xi32>
  %p = stablehlo.pad %a, %x, low = [1, -1], high = [1, 0], interior = [1, 1]
    : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x4xi32>
  return %b, %p : tensor<3x4x2xi32>, tensor<5x4xi32>
}
// moved(a := count(2, 3) + 1, 9) =
//   np.broadcast_to(a.T[:, None, :], (3, 4, 2)),
//   [[9, 9, 9, 9], [9, 2, 9, 3], [9, 9, 9, 9], [9, 5, 9, 6], [9, 9, 9, 9]]
func.func @sliced(%a: tensor<6xi32>, %i: tensor<i32>) -> (tensor<2xi32>, tensor<3xi32>) {
  %d = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<6xi32>, tensor<i32>) -> tensor<2xi32>
  %s = stablehlo.slice %a [1:6:2] : (tensor<6xi32>) -> tensor<3xi32>
  %r = stablehlo.reverse %s, dims = [0] : tensor<3xi32>
  return %d, %r : tensor<2xi32>, tensor<3xi32>
}
// Starts are clamped.
// sliced(range(6), 1) = [1, 2], [5, 3, 1]
// sliced(range(6), 9) = [4, 5], [5, 3, 1]
// sliced(range(6), -3) = [0, 1], [5, 3, 1]
func.func @sliced_from_byte(%a: tensor<300xi32>, %i: tensor<ui8>)
    -> (tensor<1xi32>, tensor<300xi32>) {
  %d = stablehlo.dynamic_slice %a, %i, sizes = [1]
    : (tensor<300xi32>, tensor<ui8>) -> tensor<1xi32>
  %n = stablehlo.negate %d : tensor<1xi32>
  %u = stablehlo.dynamic_update_slice %a, %n, %i
    : (tensor<300xi32>, tensor<1xi32>, tensor<ui8>) -> tensor<300xi32>
  return %d, %u : tensor<1xi32>, tensor<300xi32>
}
// Unsigned starts have no sign.
// sliced_from_byte(range(300), 200) = [200], [-n if n == 200 else n for n in range(300)]
func.func @numbers(%a: tensor<4xi32>, %b: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %d = stablehlo.divide %a, %b : tensor<4xi32>
  %r = stablehlo.remainder %a, %b : tensor<4xi32>
  %s = stablehlo.shift_left %a, %b : tensor<4xi32>
  %m = stablehlo.maximum %a, %b : tensor<4xi32>
  return %d, %r, %s, %m : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
// What the implementation defines is poison.
// numbers([-7, 7, -(2**31), 1], [2, 0, -1, 33]) =
//   [-3, P, P, 0], [-1, P, P, 1], [-28, 7, P, P], [2, 7, -1, 33]
func.func @unsigned(%a: tensor<2xui8>, %b: tensor<2xui8>) -> (tensor<2xui8>, tensor<2xi1>) {
  %d = stablehlo.divide %a, %b : tensor<2xui8>
  %c = stablehlo.compare GT, %a, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  return %d, %c : tensor<2xui8>, tensor<2xi1>
}
// unsigned([200, 3], [3, 200]) = [66, 0], [True, False]
func.func @convert(%a: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xi1>, tensor<4xbf16>) {
  %i = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi8>
  %b = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi1>
  %h = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  return %i, %b, %h : tensor<4xi8>, tensor<4xi1>, tensor<4xbf16>
}
// convert([-1.5, 200, 0, nan]) = [-1, P, 0, P], [True, True, False, True], [-1.5, 200, 0, nan]
func.func @total(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> {
  %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %c : tensor<3xi1>
}
// total([-0.0, 0.0, inf], [0.0, -0.0, nan]) = [True, False, True]
func.func @count(%n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %0, %s = %0) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %1 : tensor<i32>
      %t = stablehlo.add %s, %j : tensor<i32>
      stablehlo.return %j, %t : tensor<i32>, tensor<i32>
    }
  return %r#1 : tensor<i32>
}
// count(-3) = 0
// count(1) = 1
// count(20) = 210
