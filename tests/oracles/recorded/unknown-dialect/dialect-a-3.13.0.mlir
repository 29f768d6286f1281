func.func @f(%a: i32) -> i32 {
  %0 = mine.op %a : i32
  return %0 : i32
}
