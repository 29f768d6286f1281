func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = yours.another_op(%a) {x = 1} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
