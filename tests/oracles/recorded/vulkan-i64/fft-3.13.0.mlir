func.func @f(%a: tensor<32xcomplex<f32>>) -> tensor<32xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = FFT, length = [32] : (tensor<32xcomplex<f32>>) -> tensor<32xcomplex<f32>>
  return %0 : tensor<32xcomplex<f32>>
}
