util.global private @p : tensor<4xf32>
func.func @f() -> tensor<4xf32> {
  %0 = util.global.load @q : tensor<4xf32>
  return %0 : tensor<4xf32>
}
