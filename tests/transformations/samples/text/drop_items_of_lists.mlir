////
hw.module @p<p1: i42 = 17, p2: i1>(in %a: i8, out o: i8) {
  use %a -> [1, 2]
}
//// at 0 of 6: each item goes with its comma
hw.module @p< p2: i1>(in %a: i8, out o: i8) {
  use %a -> [1, 2]
}
//// at 1 of 6: each item goes with its comma
hw.module @p<p1: i42 = 17>(in %a: i8, out o: i8) {
  use %a -> [1, 2]
}
//// at 4 of 6: each item goes with its comma
hw.module @p<p1: i42 = 17, p2: i1>(in %a: i8, out o: i8) {
  use %a -> [ 2]
}
////
op(%a, pair<i8, i16>, %b)
//// at all of 5: items inside of each other go together
op()
//// at 1, 2, 3 of 5: items inside of each other go together
op(%a, %b)
