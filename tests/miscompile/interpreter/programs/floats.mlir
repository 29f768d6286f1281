@sin(%a: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.sin %a : tensor<?xf32>
// A huge angle has no phase: the next f32 is many turns away, so libraries differ.
// sin([0, 1e30, -1e30, inf]) = [0, P, P, nan]
@cos(%a: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.cos %a : tensor<?xf32>
// cos([0, 1e6]) = [1, P]
@tan(%a: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.tan %a : tensor<?xf32>
// A tangent next to a pole is not known: the next angle may be beyond it.
// tan([0, 1.5 * np.pi, -1.5 * np.pi]) = [0, P, P]
@asinh(%a: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.asinh %a : tensor<?xf32>
// `log(x + sqrt(x * x + 1))` overflows long before its value, `(exp(x) - exp(-x)) / 2` just.
// asinh([1e30, -1e30, 1e18, inf]) ~ [P, P, 42.13968, inf]
@sinh(%a: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.sinh %a : tensor<?xf32>
// sinh([89, 0, -89, 1e30]) = [P, 0, P, inf]
@round(%a: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.round %a : tensor<?xf32>
// round([0.5, 1.5, -0.5, -2.5, 0.49999997, -0.25, 0.25]) = [1, 2, -1, -3, 0, -0.0, 0]
@roundeven(%a: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.roundeven %a : tensor<?xf32>
// roundeven([0.5, 1.5, -0.5, -2.5, 0.49999997]) = [0, 2, 0, -2, 0]
@maximumf(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = arith.maximumf %a, %b : tensor<?xf32>
// -0 is less than +0; NumPy gives whichever comes last.
// maximumf([1, nan, 2, -5], [nan, 1, 3, 3]) = [nan, nan, 3, 3]
// maximumf([0, -0.0, 0, -0.0], [-0.0, 0, 0, -0.0]) = [0, 0, 0, -0.0]
@maxnumf(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = arith.maxnumf %a, %b : tensor<?xf32>
// maxnumf([1, nan, 2, -5], [nan, 1, 3, 3]) = [1, 1, 3, 3]
@minimumf(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = arith.minimumf %a, %b : tensor<?xf32>
// minimumf([1, nan, 2, -5], [nan, 1, 3, 3]) = [nan, nan, 2, -5]
// minimumf([0, -0.0, 0, -0.0], [-0.0, 0, 0, -0.0]) = [-0.0, -0.0, 0, -0.0]
@minnumf(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = arith.minnumf %a, %b : tensor<?xf32>
// minnumf([1, nan, 2, -5], [nan, 1, 3, 3]) = [1, 1, 2, -5]
@remf(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = arith.remf %a, %b : tensor<?xf32>
// A remainder is known if the quotient has digits after the point. Beyond, and for an infinite
// divisor, `a - trunc(a / b) * b` is none.
// remf([5, 1e30, 5, 96], [2, 2, inf, 0.375]) = [1, P, P, 0]
// remf([5, -96, -5, 5], [2, 0.375, 3, -3]) = [1, -0.0, -2, 2]
@divf(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = arith.divf %a, %b : tensor<?xf32>
// divf([1, -1, 0], [0, 0, 0]) = [inf, -inf, nan]
@copysign(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.copysign %a, %b : tensor<?xf32>
// The bits of a NaN are not defined: ops may make any, of either sign.
// copysign([2, 2, nan], [-1, nan, -1]) = [-2, P, nan]
@largest(%a: tensor<?xf32>) -> tensor<1xf32>:
  %i = arith.constant dense<-0.0> : tensor<f32>
  %s = linalg.reduce { arith.maximumf } ins(%a : tensor<?xf32>) outs(%i : tensor<f32>) dimensions = [0]
  %v = tensor.extract %s[] : tensor<f32>
  %r = tensor.from_elements %v : tensor<1xf32>
// largest([0, -0.0, 0, -0.0]) = [0]
@smallest(%a: tensor<?xf32>) -> tensor<1xf32>:
  %i = arith.constant dense<-0.0> : tensor<f32>
  %s = linalg.reduce { arith.minimumf } ins(%a : tensor<?xf32>) outs(%i : tensor<f32>) dimensions = [0]
  %v = tensor.extract %s[] : tensor<f32>
  %r = tensor.from_elements %v : tensor<1xf32>
// smallest([0, -0.0, 0, -0.0]) = [-0.0]
@oeq(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xi1>:
  %r = arith.cmpf oeq, %a, %b : tensor<?xf32>
// oeq([1, 1, nan], [1, 2, 1]) = [True, False, False]
@one(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xi1>:
  %r = arith.cmpf one, %a, %b : tensor<?xf32>
// one([1, 1, nan], [1, 2, 1]) = [False, True, False]
@ord(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xi1>:
  %r = arith.cmpf ord, %a, %b : tensor<?xf32>
// ord([1, 1, nan], [1, 2, 1]) = [True, True, False]
@ueq(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xi1>:
  %r = arith.cmpf ueq, %a, %b : tensor<?xf32>
// ueq([1, 1, nan], [1, 2, 1]) = [True, False, True]
@ult(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xi1>:
  %r = arith.cmpf ult, %a, %b : tensor<?xf32>
// ult([1, 1, nan], [1, 2, 1]) = [False, True, True]
@une(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xi1>:
  %r = arith.cmpf une, %a, %b : tensor<?xf32>
// une([1, 1, nan], [1, 2, 1]) = [False, True, True]
@uno(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xi1>:
  %r = arith.cmpf uno, %a, %b : tensor<?xf32>
// uno([1, 1, nan], [1, 2, 1]) = [False, False, True]
@oge(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xi1>:
  %r = arith.cmpf oge, %a, %b : tensor<?xf32>
// oge([1, 1, nan], [1, 2, 1]) = [True, False, False]
@powf(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = math.powf %a, %b : tensor<?xf32>
// powf([-1, -2, 3, -7], [3, 2, 2, 3]) = [-1, 4, 9, -343]
@long_fpowi(%a: tensor<?xf32>, %b: tensor<?xi64>) -> tensor<?xf32>:
  %r = math.fpowi %a, %b : tensor<?xf32>, tensor<?xi64>
// No float is odd that is so large.
// long_fpowi([-1, -inf, -2], [2**63 - 1, 2**53 + 1, -3]) = [-1, -inf, -0.125]
@fpowi(%a: tensor<?xf32>, %b: tensor<?xi32>) -> tensor<?xf32>:
  %r = math.fpowi %a, %b : tensor<?xf32>, tensor<?xi32>
// fpowi([2, 4, 5], [3, -1, 0]) = [8, 0.25, 1]
@ipowi(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32>:
  %r = math.ipowi %a, %b : tensor<?xi32>
// ipowi([3, -1, 2, -3, 0], [4, -3, -1, 3, -1]) = [81, -1, 0, -27, P]
func.func @bits(%a: tensor<?xi5>) -> (tensor<?xi5>, tensor<?xi5>, tensor<?xi5>) {
  %l = math.ctlz %a : tensor<?xi5>
  %t = math.cttz %a : tensor<?xi5>
  %p = math.ctpop %a : tensor<?xi5>
  return %l, %t, %p : tensor<?xi5>, tensor<?xi5>, tensor<?xi5>
}
// bits([0, 1, 6, -1]) = [5, 4, 2, 0], [5, 0, 1, 0], [0, 1, 2, 5]
@to_i8(%a: tensor<?xf32>) -> tensor<?xi8>:
  %r = arith.fptosi %a : tensor<?xf32> to tensor<?xi8>
// to_i8([-1.9, 127.5, 128, nan, -129]) = [-1, 127, P, P, P]
@to_ui8(%a: tensor<?xf32>) -> tensor<?xi8>:
  %r = arith.fptoui %a : tensor<?xf32> to tensor<?xi8>
// to_ui8([255.9, -0.5, 256, -1]) = [255, 0, P, P]
@from_ui8(%a: tensor<?xi8>) -> tensor<?xbf16>:
  %r = arith.uitofp %a : tensor<?xi8> to tensor<?xbf16>
// from_ui8([-1, 5]) = [255, 5]
@bitcast(%a: tensor<?xf32>) -> tensor<?xi32>:
  %r = arith.bitcast %a : tensor<?xf32> to tensor<?xi32>
// bitcast([1, -0.0, nan]) = [0x3F800000, -(1 << 31), P]
@promised(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = arith.addf %a, %b fastmath<nnan> : tensor<?xf32>
// promised([1, nan, inf], [1, 1, -inf]) = [2, P, P]
@finite(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
  %r = arith.mulf %a, %b fastmath<ninf> : tensor<?xf32>
// finite([1e30, 1], [1e30, 1]) = [P, 1]
@half(%a: tensor<?xf16>, %b: tensor<?xf16>) -> tensor<?xf16>:
  %r = arith.addf %a, %b : tensor<?xf16>
// Half precision is rounded after each op.
// half([2048, 65504], [1, 65504]) = [2048, inf]
@quotient(%a: tensor<?xcomplex<f32>>, %b: tensor<?xcomplex<f32>>)
    -> tensor<?xcomplex<f32>>:
  %r = linalg.map { complex.div } ins(%a, %b : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>)
      outs(%a : tensor<?xcomplex<f32>>)
// Division by zero, overflow on the way, and the sides of a branch cut.
// quotient([1, 1, 1, 0, -4, -4, inf, 1e30], [2, 0, 1e30, 1, 1, 1j, 1, 1]) ~ [0.5, P, P, 0, -4, 4j, P, 1e30]
@root(%a: tensor<?xcomplex<f32>>, %b: tensor<?xcomplex<f32>>)
    -> tensor<?xcomplex<f32>>:
  %r = linalg.map { complex.sqrt } ins(%a : tensor<?xcomplex<f32>>)
      outs(%a : tensor<?xcomplex<f32>>)
// root([1, 1, 1, 0, -4, -4, inf, 1e30], [0] * 8) ~ [1, 1, 1, P, P, P, P, P]
func.func @complex(%a: f32, %b: f32) -> (f32, f32, f32) {
  %c = complex.create %a, %b : complex<f32>
  %d = complex.mul %c, %c : complex<f32>
  %re = complex.re %d : complex<f32>
  %im = complex.im %d : complex<f32>
  %abs = complex.abs %c : complex<f32>
  return %re, %im, %abs : f32, f32, f32
}
// complex(3, 4) = -7, 24, 5
func.func @no_infinities(%a: tensor<4xf32>) -> (tensor<4xf4E2M1FN>, tensor<4xf8E4M3FN>) {
  %0 = arith.truncf %a : tensor<4xf32> to tensor<4xf4E2M1FN>
  %1 = arith.truncf %a : tensor<4xf32> to tensor<4xf8E4M3FN>
  return %0, %1 : tensor<4xf4E2M1FN>, tensor<4xf8E4M3FN>
}
// A fold makes -0.0 of an infinity, or crashes (https://github.com/llvm/llvm-project/issues/185351).
// The second type has a NaN.
// no_infinities([inf, nan, -inf, 1.5]) = [P, P, P, 1.5], [nan, nan, nan, 1.5]
