func.func @solve(%arg0: tensor<2x16x16xf64>) -> tensor<2x16x16xf64> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2x16x16xf64>
  %1 = stablehlo.cholesky %0, lower = false : tensor<2x16x16xf64>
  return %1 : tensor<2x16x16xf64>
}
