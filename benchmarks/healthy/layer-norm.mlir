// A variance as the mean of squares less the square of the mean: cancellation, and a root of it.
func.func @f(%a: tensor<4x32xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x32xf32>)
      outs(%i, %i : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32, %q: f32):
    %ss = arith.addf %s, %x : f32
    %xx = arith.mulf %x, %x : f32
    %qq = arith.addf %q, %xx : f32
    linalg.yield %ss, %qq : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %v = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
      affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%r#0, %r#1 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%s: f32, %q: f32, %o: f32):
    %m = arith.divf %s, %n : f32
    %p = arith.divf %q, %n : f32
    %mm = arith.mulf %m, %m : f32
    %d = arith.subf %p, %mm : f32
    %t = math.rsqrt %d : f32
    %u = arith.mulf %t, %m : f32
    linalg.yield %u : f32
  } -> tensor<4xf32>
  return %v : tensor<4xf32>
}
