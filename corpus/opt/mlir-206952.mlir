func.func @choose(%c: tensor<1xi1>, %a: tensor<4xi64>, %b: tensor<4xi64>) {
  %r = tosa.cond_if %c (%x = %a, %y = %b) : tensor<1xi1> (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%x: tensor<4xi64>, %y: tensor<4xi64>):
    tosa.yield %x : tensor<4xi64>
  } else {
  ^bb0(%x: tensor<4xi64>, %y: tensor<4xi64>):
    tosa.yield %y : tensor<4xi64>
  }
  %w = call @witness() : () -> !shape.witness
  return
}
func.func @witness() -> !shape.witness {
  %w = shape.const_witness true
  return %w : !shape.witness
}
