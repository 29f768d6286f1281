func.func @bmm(%q: tensor<16x32x64xf16>, %k: tensor<16x128x32xf16>, %c: tensor<16x32x32xf32>) -> tensor<16x32x32xf32> {
  %r = linalg.batch_matmul ins(%q, %k : tensor<16x32x64xf16>, tensor<16x128x32xf16>) outs(%c : tensor<16x32x32xf32>) -> tensor<16x32x32xf32>
  return %r : tensor<16x32x32xf32>
}
