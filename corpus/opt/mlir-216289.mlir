module {
  func.func @f(%arg0: i64) -> i64 {
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%arg2 = %arg0) -> (i64)  : i32 {
      %1 = scf.for %arg3 = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%arg4 = %arg2) -> (i64)  : i32 {
        %2 = arith.addi %arg4, %arg2 : i64
        scf.yield %2 : i64
      }
      scf.yield %1 : i64
    }
    return %0 : i64
  }
}

