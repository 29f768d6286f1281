func.func @sort(%k: tensor<?xf32>, %v: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %r:2 = iree_linalg_ext.sort dimension(0) outs(%k, %v : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    %x = arith.cmpf olt, %a, %b : f32
    iree_linalg_ext.yield %x : i1
  } -> tensor<?xf32>, tensor<?xi32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
}
// Equal keys have no order. A comparison that makes none leaves nothing defined: NaN is neither less
// than 1 nor than 2, nor the other way round. In any order, equal payloads are the same.
// sort([3, 1, 2, 1, 3], [0, 1, 2, 3, 4]) = [1, 1, 2, 3, 3], [P, P, 2, P, P]
// sort([2, nan, 1], [5, 5, 5]) = [P, P, P], [5, 5, 5]
@sort_columns(%k: tensor<?x?xi32>) -> tensor<?x?xi32>:
  %r = iree_linalg_ext.sort dimension(0) outs(%k : tensor<?x?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %x = arith.cmpi sge, %a, %b : i32
    iree_linalg_ext.yield %x : i1
  } -> tensor<?x?xi32>
// sort_columns(a := count(40, 3) * 7 % 10) = -np.sort(-a, axis=0)
func.func @topk(%a: tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %v = tensor.empty() : tensor<2x3xf32>
  %i = tensor.empty() : tensor<2x3xi32>
  %r:2 = iree_linalg_ext.topk dimension(1) ins(%a : tensor<2x6xf32>)
    outs(%v, %i : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf ogt, %x, %y : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xi32>
}
// topk([[1, 5, 2, 5, 0, 3], [6, 1, 1, 1, 1, 7]]) = [[5, 5, 3], [7, 6, 1]], [[1, 3, 5], [5, 0, 1]]
func.func @topk_given(%a: tensor<6xf32>, %b: tensor<6xi32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %v = tensor.empty() : tensor<3xf32>
  %i = tensor.empty() : tensor<3xi32>
  %r:2 = iree_linalg_ext.topk dimension(0) ins(%a, %b : tensor<6xf32>, tensor<6xi32>)
    outs(%v, %i : tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf ogt, %x, %y : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<3xf32>, tensor<3xi32>
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi32>
}
// The first of equal elements has the lower position and index.
// topk_given([1, 4, 2, 4, 0, 3], [0, 3, 2, 5, 4, 1]) = [4, 4, 3], [3, 5, 1]
// topk_given([1, 4, 2, 4, 0, 3], [0, 5, 2, 3, 4, 1]) = [4, 4, 3], [P, P, 1]
func.func @scan(%a: tensor<3x4xi32>) -> tensor<3x4xi32> {
  %e = tensor.empty() : tensor<3x4xi32>
  %c = arith.constant dense<100> : tensor<3xi32>
  %r:2 = iree_linalg_ext.scan dimension(1) inclusive(false)
    ins(%a : tensor<3x4xi32>) outs(%e, %c : tensor<3x4xi32>, tensor<3xi32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    iree_linalg_ext.yield %s : i32
  } -> tensor<3x4xi32>, tensor<3xi32>
  return %r#0 : tensor<3x4xi32>
}
// Sums before each element.
// scan(a := count(3, 4)) = 100 + np.cumsum(a, 1) - a
@scatter(%o: tensor<4x2xf32>, %u: tensor<?x2xf32>, %i: tensor<?x1xi32>)
    -> tensor<4x2xf32>:
  %r = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
    ins(%u, %i : tensor<?x2xf32>, tensor<?x1xi32>) outs(%o : tensor<4x2xf32>) {
  ^bb0(%new: f32, %old: f32):
    %s = arith.subf %old, %new : f32
    iree_linalg_ext.yield %s : f32
  } -> tensor<4x2xf32>
// Updates come in order.
// scatter(np.zeros((4, 2)), [[1, 2], [3, 4], [5, 6]], [[2], [0], [2]]) = [[-3, -4], [0, 0], [-6, -8], [0, 0]]
@unique(%o: tensor<4x2xf32>, %u: tensor<?x2xf32>, %i: tensor<?x1xi32>)
    -> tensor<4x2xf32>:
  %r = iree_linalg_ext.scatter dimension_map = [0] unique_indices(true)
    ins(%u, %i : tensor<?x2xf32>, tensor<?x1xi32>) outs(%o : tensor<4x2xf32>) {
  ^bb0(%new: f32, %old: f32):
    iree_linalg_ext.yield %new : f32
  } -> tensor<4x2xf32>
// unique(np.zeros((4, 2)), [[1, 2], [3, 4]], [[2], [0]]) = [[3, 4], [0, 0], [1, 2], [0, 0]]
// unique(np.zeros((4, 2)), [[1, 2], [3, 4]], [[2], [2]]) fails: meets one twice
@gather(%a: tensor<5x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf32>:
  %e = tensor.empty() : tensor<3x2xf32>
  %r = iree_linalg_ext.gather dimension_map = [0]
    ins(%a, %i : tensor<5x2xf32>, tensor<3xi32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
// gather(count(5, 2), [4, 0, 4]) = [[8, 9], [0, 1], [8, 9]]
