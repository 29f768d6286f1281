func.func @other(%x: i64, %y: i32, %z: i64) -> i64 {
  %0 = arith.muli %x, %z : i64
  %1 = "arith.addi"(%0, %y) : (i64, i32) -> i64
  return %1 : i64
}
