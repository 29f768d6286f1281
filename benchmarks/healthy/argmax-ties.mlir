// The index of the largest element, of which there may be several; the first one is meant.
func.func @f(%a: tensor<3x17xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i32
  %ev = tensor.empty() : tensor<3xf32>
  %ei = tensor.empty() : tensor<3xi32>
  %v = linalg.fill ins(%low : f32) outs(%ev : tensor<3xf32>) -> tensor<3xf32>
  %i = linalg.fill ins(%c0 : i32) outs(%ei : tensor<3xi32>) -> tensor<3xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x17xf32>)
      outs(%v, %i : tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%x: f32, %m: f32, %at: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %c = arith.cmpf ogt, %x, %m : f32
    %mm = arith.select %c, %x, %m : f32
    %nn = arith.select %c, %n, %at : i32
    linalg.yield %mm, %nn : f32, i32
  } -> (tensor<3xf32>, tensor<3xi32>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi32>
}
