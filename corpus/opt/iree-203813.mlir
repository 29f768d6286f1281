func.func @pad(%t: tensor<1x28x28x1xf32>) -> tensor<1x32x32x1xf32> {
  %p = tensor.pad %t low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<1x28x28x1xf32> to tensor<1x32x32x1xf32>
  return %p : tensor<1x32x32x1xf32>
}
