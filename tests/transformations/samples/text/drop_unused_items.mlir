////
hw.module @M(in %a : i8, in %b : i8, out o : i8) {
  hw.output %b : i8
}
//// at all of 1: they go at once
hw.module @M(in %b : i8, out o : i8) {
  hw.output %b : i8
}
////
func @f(%a: tuple<i8, i8>, %b: i8) {
}
//// at all of 2: they go at once
func @f() {
}
////
func @f(%a: i8) {
  return %a
}
//// at all of 0: they go at once
////
call @f(%a, %a)
//// at all of 0: they go at once
////
op(%a
//// at all of 0: they go at once
