// A loop whose number of iterations depends on the data.
func.func @f(%a: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %x = tensor.extract %a[] : tensor<i32>
  %r:2 = scf.while (%v = %x, %n = %c0) : (i32, i32) -> (i32, i32) {
    %p = math.absi %v : i32
    %c = arith.cmpi ugt, %p, %c2 : i32
    scf.condition(%c) %v, %n : i32, i32
  } do {
  ^bb0(%v: i32, %n: i32):
    %h = arith.divsi %v, %c2 : i32
    %m = arith.addi %n, %c1 : i32
    scf.yield %h, %m : i32, i32
  }
  %s = tensor.from_elements %r#0 : tensor<i32>
  %t = tensor.from_elements %r#1 : tensor<i32>
  return %s, %t : tensor<i32>, tensor<i32>
}
