// A counter that is kept between calls, and counts the calls of this program.
util.global private mutable @count = dense<7> : tensor<2xi32>
func.func private @next() -> tensor<2xi32> {
  %c = util.global.load @count : tensor<2xi32>
  %one = arith.constant dense<1> : tensor<2xi32>
  %n = arith.addi %c, %one : tensor<2xi32>
  util.global.store %n, @count : tensor<2xi32>
  return %n : tensor<2xi32>
}
func.func @f(%a: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %p = func.call @next() : () -> tensor<2xi32>
  %q = func.call @next() : () -> tensor<2xi32>
  %s = arith.muli %q, %a : tensor<2xi32>
  return %p, %s : tensor<2xi32>, tensor<2xi32>
}
