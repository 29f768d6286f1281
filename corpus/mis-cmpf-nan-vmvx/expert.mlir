func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xi8>) {
  ^bb0(%x: f32, %y: f32, %o: i8):
    %c = arith.cmpf oge, %x, %y : f32
    %r = arith.extui %c : i1 to i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  return %r : tensor<4xi8>
}
