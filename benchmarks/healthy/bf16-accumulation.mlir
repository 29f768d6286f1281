// A matrix product that is accumulated in bf16: each step is rounded to eight bits, or none.
// vmvx: cannot compile it
func.func @f(%a: tensor<4x48xbf16>, %b: tensor<48x4xbf16>) -> tensor<4x4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4x4xbf16>
  %i = linalg.fill ins(%zero : bf16) outs(%e : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<4x48xbf16>, tensor<48x4xbf16>)
      outs(%i : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %r : tensor<4x4xbf16>
}
