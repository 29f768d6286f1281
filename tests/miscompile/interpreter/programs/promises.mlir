util.func @assumed(%n: index) -> index {
  %a = util.assume.int %n[<umin = 16, umax = 64, udiv = 16>] : index
  util.return %a : index
}
// assumed(32) = 32
// assumed(24) fails: a promise about an integer does not hold
// assumed(80) fails: a promise about an integer does not hold
util.func @alternatives(%n: index) -> index {
  %a = util.assume.int %n[<umin = 4, umax = 4>, <umin = 9, umax = 9>] : index
  util.return %a : index
}
// alternatives(9) = 9
// alternatives(5) fails: a promise about an integer does not hold
util.func @tied(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %b = flow.tensor.tie_shape %a : tensor<?xf32>{%n}
  util.return %b : tensor<?xf32>
}
// tied([1, 2], 2) = [1, 2]
// tied([1, 2], 3) fails: shape [2] is said to have shape [3]
