func.func @f(%a: tensor<4xf32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4xi32>) {
  ^bb0(%x: f32, %o: i32):
    %r = arith.fptosi %x : f32 to i32
    linalg.yield %r : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}
