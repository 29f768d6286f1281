// Random numbers by a state: ops above the core dialects with a documented algorithm.
func.func @f(%s: tensor<2xi64>) -> (tensor<2xi64>, tensor<6xi32>) {
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
      : (tensor<2xi64>) -> (tensor<2xi64>, tensor<6xi32>)
  return %t, %r : tensor<2xi64>, tensor<6xi32>
}
