module {
  func.func @f() -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c20 = arith.constant 20 : index
    %0:3 = scf.while (%arg0 = %c0) : (index) -> (index, index, index) {
      %1 = arith.cmpi slt, %arg0, %c1 : index
      %2 = scf.if %1 -> (index) {
        %3 = arith.addi %arg0, %c2 : index
        scf.yield %3 : index
      } else {
        scf.yield %c20 : index
      }
      scf.condition(%1) %2, %2, %arg0 : index, index, index
    } do {
    ^bb0(%arg0: index, %arg1: index, %arg2: index):
      scf.yield %arg1 : index
    }
    return %0#2 : index
  }
}

