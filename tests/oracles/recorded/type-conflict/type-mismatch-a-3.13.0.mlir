func.func @f(%a: i32) -> i32 {
  %0 = arith.addf %a, %a : f32
  return %a : i32
}
