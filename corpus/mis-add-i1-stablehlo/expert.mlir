func.func @f(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %r = stablehlo.add %a, %b : tensor<4xi1>
  return %r : tensor<4xi1>
}
