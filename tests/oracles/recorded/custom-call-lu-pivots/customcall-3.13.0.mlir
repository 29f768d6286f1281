func.func @f(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>) {
  %0:2 = stablehlo.custom_call @lu_pivots(%a) {backend_config = "x", api_version = 2 : i32} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4xi32>
}
