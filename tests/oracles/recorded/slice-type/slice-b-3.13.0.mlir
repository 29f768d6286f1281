func.func @f(%a: tensor<?x16x2xf16>, %n: index) -> tensor<?x3x2xf16> {
  %0 = "tensor.extract_slice"(%a, %n) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: -9223372036854775808, 4, 2>, static_strides = array<i64: 1, 1, 1>}> : (tensor<?x16x2xf16>, index) -> tensor<?x3x2xf16>
  return %0 : tensor<?x3x2xf16>
}
