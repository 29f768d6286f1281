spirv.func @main(%a: !spirv.array<4 x f32>) -> !spirv.array<4 x f32> "None" {
  %c = arith.constant 1.0 : f16
  spirv.ReturnValue %a : !spirv.array<4 x f32>
}
