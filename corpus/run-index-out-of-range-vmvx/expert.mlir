func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 3.75 : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %low : f32
    %n = arith.minimumf %m, %high : f32
    %i = arith.fptosi %n : f32 to i32
    %j = arith.index_cast %i : i32 to index
    %v = tensor.extract %b[%j] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
