// The maximum in windows with NaN, -inf and zeros of either sign.
func.func @f(%a: tensor<1x8x8x1xf32>) -> tensor<1x4x4x1xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x4x4x1xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>
  %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%a, %w : tensor<1x8x8x1xf32>, tensor<2x2xf32>)
      outs(%f : tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>
  return %r : tensor<1x4x4x1xf32>
}
