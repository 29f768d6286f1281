// A loop that shifts the elements of a tensor by one, in the same memory if the compiler is able.
func.func @f(%a: tensor<8xi32>) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%t = %a) -> (tensor<8xi32>) {
    %j = arith.addi %i, %c1 : index
    %x = tensor.extract %t[%i] : tensor<8xi32>
    %y = tensor.extract %t[%j] : tensor<8xi32>
    %s = arith.subi %x, %y : i32
    %u = tensor.insert %s into %t[%j] : tensor<8xi32>
    scf.yield %u : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}
