////
hw.module @M(in %a : i8, in %b : i8, out o : i8) {
  %0 = comb.add %a, %b : i8
  %1 = comb.mul %0, %0 : i8
  %01:2 = pair %1
  hw.output %1, %01#0, %10 : i8
}
hw.module @N(in %a : i8) {
  use %0
}
//// at 1 of 4: uses in the same body follow
hw.module @M(in %a : i8, in %b : i8, out o : i8) {
- %0 = comb.add %a, %b : i8
- %1 = comb.mul %0, %0 : i8
  %1 = comb.mul %b, %b : i8
...
//// at 2 of 4: uses in the same body follow
hw.module @M(in %a : i8, in %b : i8, out o : i8) {
  %0 = comb.add %a, %b : i8
  %01:2 = pair %0
  hw.output %0, %01#0, %10 : i8
}
hw.module @N(in %a : i8) {
  use %0
}
//// at all of 4: uses in the same body follow
hw.module @M(in %a : i8, in %b : i8, out o : i8) {
  hw.output %a, %a, %10 : i8
}
hw.module @N(in %a : i8) {
  use %0
}
////
%r = op %a, %b, %c, %a
%s = scf.if %r {
}
//// at all of 2: each of the first and last operands is a site
%s = scf.if %a {
}
