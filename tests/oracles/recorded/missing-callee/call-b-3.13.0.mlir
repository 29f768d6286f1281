func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @"a name"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
