func.func @main(%a: tensor<17xcomplex<f32>>) -> tensor<32xf32> {
  %0 = stablehlo.fft %a, type = IRFFT, length = [32] : (tensor<17xcomplex<f32>>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
