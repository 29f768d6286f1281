util.global private @w = #flow.parameter.named<"model"::"w"> : tensor<4x32xf32>
func.func @f() -> tensor<4x32xf16> {
  %0 = util.global.load @w : tensor<4x32xf32>
  %1 = arith.truncf %0 : tensor<4x32xf32> to tensor<4x32xf16>
  return %1 : tensor<4x32xf16>
}
