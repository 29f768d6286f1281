func.func @mm(%x: tensor<128x64xf16>, %y: tensor<32x16xf16>, %z: tensor<128x16xf32>) -> tensor<128x16xf32> {
  %r = linalg.matmul ins(%x, %y : tensor<128x64xf16>, tensor<32x16xf16>) outs(%z : tensor<128x16xf32>) -> tensor<128x16xf32>
  return %r : tensor<128x16xf32>
}
