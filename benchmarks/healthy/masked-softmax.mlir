// Softmax under a mask of -inf. A row that is masked throughout is -inf - -inf: NaN.
func.func @f(%a: tensor<6x8xf32>, %m: tensor<6x8xi1>) -> tensor<6x8xf32> {
  %minus = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x8xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : tensor<6x8xf32>, tensor<6x8xi1>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%v: f32, %c: i1, %o: f32):
    %r = arith.select %c, %v, %minus : f32
    linalg.yield %r : f32
  } -> tensor<6x8xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>)
      -> tensor<6x8xf32>
  return %s : tensor<6x8xf32>
}
