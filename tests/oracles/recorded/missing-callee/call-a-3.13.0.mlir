func.func @f(%a: i32) -> i32 {
  %0 = call @missing(%a) : (i32) -> i32
  return %0 : i32
}
