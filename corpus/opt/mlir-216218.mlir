func.func @both() {
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  %one = arith.constant 1 : index
  %r = scf.parallel (%i, %j) = (%zero, %zero) to (%ten, %ten) step (%one, %one) init (%zero) -> index {
    %s = arith.addi %i, %j : index
    scf.reduce(%s : index) {
    ^bb0(%a: index, %b: index):
      %t = arith.addi %a, %b : index
      scf.reduce.return %t : index
    }
  }
  %u = arith.addi %r, %r : index
  return
}
