// Compile time that grows superlinearly: twice the size takes eight times as long, and makes four
// times as many ops.
func.func @f(%x: tensor<64x64xi8>) -> tensor<1x1x64x64xi8> {
  %e = tensor.empty() : tensor<1x1x64x64xi8>
  %t = linalg.pack %x inner_dims_pos = [1, 0] inner_tiles = [64, 64]
      into %e : tensor<64x64xi8> -> tensor<1x1x64x64xi8>
  return %t : tensor<1x1x64x64xi8>
}
