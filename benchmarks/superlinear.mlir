// Compile time that grows superlinearly: twice the size takes eight times as long, and makes four
// times as many ops.
func.func @f(%x: tensor<16x16xi8>) -> tensor<1x1x16x16xi8> {
  %e = tensor.empty() : tensor<1x1x16x16xi8>
  %t = linalg.pack %x inner_dims_pos = [1, 0] inner_tiles = [16, 16]
      into %e : tensor<16x16xi8> -> tensor<1x1x16x16xi8>
  return %t : tensor<1x1x16x16xi8>
}
