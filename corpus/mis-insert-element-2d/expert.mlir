func.func @f(%a: tensor<2x3xf32>, %x: f32) -> tensor<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tensor.insert %x into %a[%c0, %c1] : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
