func.func private @callee(i32) -> i32
func.func @f(%a: i64) -> i32 {
  %0 = "func.call"(%a) {callee = @callee} : (i64) -> i32
  return %0 : i32
}
