@nsw(%a: tensor<?xi8>, %b: tensor<?xi8>) -> tensor<?xi8>:
  %r = arith.addi %a, %b overflow<nsw> : tensor<?xi8>
// nsw([100, 27], [28, 100]) = [P, 127]
@nuw(%a: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<?xi64>:
  %r = arith.muli %a, %b overflow<nuw> : tensor<?xi64>
// nuw([-1, 3, 1 << 62], [2, 5, 2]) = [P, 15, -(1 << 63)]
@exact(%a: tensor<?xi8>, %b: tensor<?xi8>) -> tensor<?xi8>:
  %r = arith.divsi %a, %b exact : tensor<?xi8>
// exact([-8, -7], [4, 4]) = [-2, P]
func.func @extended(%a: i8, %b: i8) -> (i8, i8, i8, i8) {
  %l, %h = arith.mulsi_extended %a, %b : i8
  %m, %n = arith.mului_extended %a, %b : i8
  return %l, %h, %m, %n : i8, i8, i8, i8
}
// extended(-100, 90) = -9000 & 255, -9000 >> 8, 156 * 90 & 255, 156 * 90 >> 8
func.func @carry(%a: i8, %b: i8) -> (i8, i1) {
  %s, %c = arith.addui_extended %a, %b : i8, i1
  return %s, %c : i8, i1
}
// carry(-1, 2) = 1, True
func.func @casts(%a: i5) -> (i32, i32, i2, i1) {
  %s = arith.extsi %a : i5 to i32
  %u = arith.extui %a : i5 to i32
  %t = arith.trunci %a : i5 to i2
  %b = arith.trunci %a : i5 to i1
  return %s, %u, %t, %b : i32, i32, i2, i1
}
// casts(-3) = -3, 29, 1, True
@select(%c: i1, %a: tensor<2xi32>) -> tensor<2xi32>:
  %e = tensor.empty() : tensor<2xi32>
  %r = arith.select %c, %a, %e : tensor<2xi32>
// What is not selected does not matter.
// select(True, [1, 2]) = [1, 2]
// select(False, [1, 2]) = [P, P]
