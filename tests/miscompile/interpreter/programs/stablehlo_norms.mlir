func.func @normalized(%a: tensor<2x3xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>,
    %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = "stablehlo.batch_norm_inference"(%a, %s, %o, %m, %v) <{
    epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>,
    tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// normalized(a := count(2, 3), [1, 2, 3], [0, 10, 20], [0, 1, 2], [0, 3, 8]) ~
//   (a - [0, 1, 2]) * [1, 2, 3] / [1, 2, 3] + [0, 10, 20]
func.func @train(%a: tensor<4x2xf32>, %s: tensor<2xf32>, %o: tensor<2xf32>)
    -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%a, %s, %o) <{epsilon = 0.0 : f32,
    feature_index = 1 : i64}> : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
    -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2 : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>
}
// Of each feature, the mean and the variance are taken. The front end computes a variance from
// squares, so that one that overflows gives NaN.
// train([[1, 0], [1, 4], [3, 0], [3, 4]], [1, 10], [0, 5]) = [[-1, -5], [-1, 15], [1, -5], [1, 15]], [2, 2], [1, 4]
// train([[1e30, 0], [0, 4], [0, 0], [0, 4]], [1, 1], [0, 0]) ~
//   [[P, -1], [P, 1], [P, -1], [P, 1]], [2.5e29, 2], [P, 4]
