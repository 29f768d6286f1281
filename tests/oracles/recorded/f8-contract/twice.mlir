func.func @f(%a: tensor<17x4097xf8E5M2FNUZ>, %b: tensor<4097x1xf8E4M3FNUZ>, %o: tensor<17x1xf32>) -> tensor<17x1xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<17x1xf32>) -> tensor<17x1xf32>
  %r = linalg.matmul ins(%a, %b : tensor<17x4097xf8E5M2FNUZ>, tensor<4097x1xf8E4M3FNUZ>) outs(%f : tensor<17x1xf32>) -> tensor<17x1xf32>
  return %r : tensor<17x1xf32>
}
func.func @second_one(%a: tensor<33x2049xf8E5M2FNUZ>, %b: tensor<2049x1xf8E4M3FNUZ>, %o: tensor<33x1xf32>) -> tensor<33x1xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<33x1xf32>) -> tensor<33x1xf32>
  %r = linalg.matmul ins(%a, %b : tensor<33x2049xf8E5M2FNUZ>, tensor<2049x1xf8E4M3FNUZ>) outs(%f : tensor<33x1xf32>) -> tensor<33x1xf32>
  return %r : tensor<33x1xf32>
}
