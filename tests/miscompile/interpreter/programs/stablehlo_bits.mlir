@rounded(%a: tensor<6xf32>) -> tensor<6xf32>:
  %r = stablehlo.reduce_precision %a, format = e5m2 : tensor<6xf32>
// What the exponent does not hold is infinite or zero, so there are no subnormal numbers.
// rounded([1.125, 1.375, 61440, 65536, -(2.0**-15), -inf]) = [1, 1.5, inf, inf, -0.0, -inf]
@no_digits(%a: tensor<2xf16>) -> tensor<2xf16>:
  %r = stablehlo.reduce_precision %a, format = e5m0 : tensor<2xf16>
// Without digits there may be no NaN, and a subnormal number may count as zero.
// no_digits([1.75, nan]) = [2, P]
// no_digits([6e-8, 1]) = [P, 1]
@every_other(%a: tensor<5xf32>, %l: tensor<1xi32>) -> tensor<?xf32>:
  %s = stablehlo.constant dense<1> : tensor<1xi32>
  %t = stablehlo.constant dense<2> : tensor<1xi32>
  %r = "stablehlo.real_dynamic_slice"(%a, %s, %l, %t)
    : (tensor<5xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
// every_other([0, 1, 2, 3, 4], [4]) = [1, 3]
// every_other([0, 1, 2, 3, 4], [6]) fails: out of bounds
@count(%s: tensor<2xi32>) -> tensor<2x?xi32>:
  %r = "stablehlo.dynamic_iota"(%s) <{iota_dimension = 1 : i64}>
    : (tensor<2xi32>) -> tensor<2x?xi32>
// count([2, 3]) = [[0, 1, 2]] * 2
// count([3, 3]) fails: shape
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.add %a, %a : tensor<2xf32>
  return %r : tensor<2xf32>
}
@whole(%a: tensor<2xf32>) -> tensor<3x2xf32>:
  %d = stablehlo.composite "my.op" %a {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
  %r = "stablehlo.broadcast"(%d) <{broadcast_sizes = array<i64: 3>}>
    : (tensor<2xf32>) -> tensor<3x2xf32>
// A composite op is its decomposition.
// whole([1, 2]) = [[2, 4]] * 3
@mapped(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32>:
  %r = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %d = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// mapped([1, 2], [5, 3]) = [-4, -1]
