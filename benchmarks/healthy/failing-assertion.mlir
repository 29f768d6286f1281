// An assertion that fails for some inputs: the program must end with an error then.
func.func @f(%a: tensor<i32>) -> tensor<i32> {
  %x = tensor.extract %a[] : tensor<i32>
  %c3 = arith.constant 3 : i32
  %c = arith.cmpi ne, %x, %c3 : i32
  cf.assert %c, "not three"
  %s = arith.addi %x, %c3 : i32
  %t = tensor.from_elements %s : tensor<i32>
  return %t : tensor<i32>
}
