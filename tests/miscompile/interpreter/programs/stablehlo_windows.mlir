func.func @pool(%a: tensor<3x4xf32>) -> (tensor<3x3xf32>, tensor<3x3xi32>) {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %r:2 = "stablehlo.reduce_window"(%a, %i, %z, %n) <{
    window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>,
    padding = dense<[[1, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %p: tensor<i32>, %y: tensor<f32>, %q: tensor<i32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %c, %x, %y : tensor<i1>, tensor<f32>
    %k = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %m, %k : tensor<f32>, tensor<i32>
  }) : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>)
    -> (tensor<3x3xf32>, tensor<3x3xi32>)
  return %r#0, %r#1 : tensor<3x3xf32>, tensor<3x3xi32>
}
// A window over two tensors.
// pool([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]]) =
//   [[3, 4, 1], [5, 9, 6], [5, 9, 8]], [[0, 2, 3], [0, 1, 3], [0, 1, 3]]
@sums(%a: tensor<5xf32>) -> tensor<4xf32>:
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%a, %z) <{
    window_dimensions = array<i64: 3>, window_strides = array<i64: 2>,
    base_dilations = array<i64: 2>, window_dilations = array<i64: 2>,
    padding = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<4xf32>
// What is between elements is the initial value: the tensor is 1 . 2 . 3 . 4 . 5 . ., and each window
// sees every other element.
// sums([1, 2, 3, 4, 5]) = [6, 9, 12, 9]
@back(%a: tensor<5xf32>, %u: tensor<3xf32>) -> tensor<5xf32>:
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%a, %u, %z) <{window_dimensions = array<i64: 3>,
    window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
// The windows are . -1 -2, -2 -3 -1, and -1 -5 ., and padding, though larger, is not chosen. Which of
// two equal elements is chosen is open.
// back([-1, -2, -3, -1, -5], [10, 20, 40]) = [10, 0, 0, 60, 0]
// back([3, 1, 2, 4, 4], [10, 20, 40]) = [10, 0, 0, P, P]
// back([3, nan, 0, 4, 5], [10, 20, 40]) = [P, P, P, P, 40]
