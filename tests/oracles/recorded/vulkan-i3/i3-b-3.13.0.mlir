func.func @narrow(%x: tensor<2x?xi3>, %y: tensor<2x?xi3>) -> tensor<2x?xi3> {
  %r = arith.muli %x, %y : tensor<2x?xi3>
  return %r : tensor<2x?xi3>
}
