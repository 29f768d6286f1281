func.func @f(%a: tensor<64x?xi4>, %b: tensor<?x?xi4>, %o: tensor<64x?xi32>) -> tensor<64x?xi32> {
  %z = arith.constant 0 : i32
  %f = linalg.fill ins(%z : i32) outs(%o : tensor<64x?xi32>) -> tensor<64x?xi32>
  %r = linalg.matmul ins(%a, %b : tensor<64x?xi4>, tensor<?x?xi4>) outs(%f : tensor<64x?xi32>) -> tensor<64x?xi32>
  return %r : tensor<64x?xi32>
}
