func.func @moved(%a: tensor<2x3xf32>, %b: tensor<2x4x3xf32>) -> tensor<4x2xf32> {
  %r = "stablehlo.einsum"(%a, %b) <{einsum_config = "ic,ijc->ji"}>
    : (tensor<2x3xf32>, tensor<2x4x3xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
// moved(a := count(2, 3), b := count(2, 4, 3)) = np.einsum("ic,ijc->ji", a, b)
func.func @outer(%a: tensor<2x3xf32>, %b: tensor<2x4x3xf32>) -> tensor<4x2x2xf32> {
  %r = "stablehlo.einsum"(%a, %b) <{einsum_config = "ac,ijc->jia"}>
    : (tensor<2x3xf32>, tensor<2x4x3xf32>) -> tensor<4x2x2xf32>
  return %r : tensor<4x2x2xf32>
}
// outer(a := count(2, 3), b := count(2, 4, 3)) = np.einsum("ac,ijc->jia", a, b)
func.func @alone(%a: tensor<2x3xf32>, %b: tensor<2x4x3xf32>) -> tensor<2x2xf32> {
  %r = "stablehlo.einsum"(%a, %b) <{einsum_config = "ab,icb->ia"}>
    : (tensor<2x3xf32>, tensor<2x4x3xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
// One side alone sums over a letter.
// alone(count(2, 3), count(2, 4, 3)) fails: einsum
@forward(%a: tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>:
  %r = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>
// A transform is a sum of turned numbers; what is not finite spoils its row.
// forward([[1, 2, 3, 4], [0, 1, 0, 0]]) ~ [[10, -2 + 2j, -2], [1, -1j, -1]]
// forward([[1, inf, 3, 4], [0, 1, 0, 0]]) ~ [[P, P, P], [1, -1j, -1]]
func.func @there_and_back(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>
  %b = stablehlo.fft %r, type = IRFFT, length = [4]
    : (tensor<2x3xcomplex<f32>>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}
// there_and_back(a := count(2, 4)) ~ a
func.func @complex_and_back(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c = stablehlo.complex %a, %a : tensor<2x4xcomplex<f32>>
  %r = stablehlo.fft %c, type = FFT, length = [4]
    : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %b = stablehlo.fft %r, type = IFFT, length = [4]
    : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %i = stablehlo.imag %b : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
  return %i : tensor<2x4xf32>
}
// complex_and_back(a := count(2, 4)) ~ a
