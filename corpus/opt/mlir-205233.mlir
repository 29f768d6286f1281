func.func @widen(%t: tensor<8xi8>) {
  %w = arith.extui %t : tensor<8xi8> to tensor<8xi32>
  return
}
