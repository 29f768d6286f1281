func.func @fwd(%a: tensor<?x3xcomplex<f64>>) -> tensor<?x3xcomplex<f64>> {
  %0 = stablehlo.add %a, %a : tensor<?x3xcomplex<f64>>
  return %0 : tensor<?x3xcomplex<f64>>
}
