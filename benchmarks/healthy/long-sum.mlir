// A sum of many numbers of both signs: each order of summation gives other last digits.
func.func @f(%a: tensor<2x3000xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %third = arith.constant 0.333333343 : f32
  %e = tensor.empty() : tensor<2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<2x3000xf32>)
      outs(%i : tensor<2xf32>) {
  ^bb0(%x: f32, %o: f32):
    %q = arith.mulf %x, %x : f32
    %c = arith.mulf %q, %x : f32
    %m = arith.mulf %c, %third : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
