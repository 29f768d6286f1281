func.func @f(%arg0: tensor<4xf16>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
