util.global private @weights = dense<1.0> : tensor<2x2xf16>
func.func @x() -> tensor<2x2xf16> {
  %0 = util.global.load @weight : tensor<2x2xf16>
  return %0 : tensor<2x2xf16>
}
