func.func @f(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.cholesky %a : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
