@rows(%a: tensor<4x2xi32>, %i: tensor<3x1xi32>) -> tensor<3x2xi32>:
  %r = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}
    : (tensor<4x2xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
// A gather clamps its indices.
// rows(count(4, 2), [[-5], [2], [100]]) = [[0, 1], [4, 5], [6, 7]]
@from_byte(%a: tensor<300xi32>, %i: tensor<2xui8>) -> tensor<2xi32>:
  %r = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1>} : (tensor<300xi32>, tensor<2xui8>) -> tensor<2xi32>
// Unsigned indices have no sign.
// from_byte(range(300), [200, 7]) = [200, 7]
@windows(%a: tensor<2x4x5xi32>, %i: tensor<3x2x2xi32>) -> tensor<3x2x2xi32>:
  %r = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [1],
      start_index_map = [2, 1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1, 2>}
    : (tensor<2x4x5xi32>, tensor<3x2x2xi32>) -> tensor<3x2x2xi32>
// windows(a := count(2, 4, 5), i := np.array([[[0, 0], [3, 1]], [[9, 2], [1, 3]], [[2, 9], [-1, 0]]])) =
//   [np.transpose([a[b, min(i[n, b, 1], 3), max(min(i[n, b, 0], 3), 0):][:2] for b in range(2)]) for n in range(3)]
@add(%a: tensor<4xi32>, %i: tensor<3x1xi32>, %u: tensor<3xi32>) -> tensor<4xi32>:
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<4xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<4xi32>
// A scatter drops what is out of bounds, and updates of one element that add up have one result.
// add([1, 1, 1, 1], [[-1], [4], [2]], [10, 20, 30]) = [1, 1, 31, 1]
// add([0, 0, 0, 0], [[2], [2], [3]], [1, 2, 4]) = [0, 0, 3, 4]
@set(%a: tensor<4xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<4xf32>:
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
// Updates that overwrite each other have none.
// set([0, 0, 0, 0], [[2], [2], [3]], [1, 2, 4]) = [0, 0, P, 4]
// set([0, 0, 0, 0], [[2], [2], [3]], [1, 1, 4]) = [0, 0, 1, 4]
@blocks(%a: tensor<3x5xi32>, %i: tensor<2x2xi32>, %u: tensor<2x2x2xi32>)
    -> tensor<3x5xi32>:
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2],
      scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>}
    : (tensor<3x5xi32>, tensor<2x2xi32>, tensor<2x2x2xi32>) -> tensor<3x5xi32>
// A window that is partly out of bounds is poison.
// blocks(np.zeros((3, 5)), [[1, 0], [1, 4]], count(2, 2, 2) + 1) =
//   [[0, 0, 0, 0, P], [0, 1, 2, 0, P], [0, 5, 6, 0, 0]]
@select(%a: tensor<2x3x2xi32>, %i: tensor<2x2xi32>) -> tensor<2x2x2xi32>:
  %r = "stablehlo.torch_index_select"(%a, %i) <{dim = 1 : i64, batch_dims = 1 : i64}>
    : (tensor<2x3x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
// Parts of a dimension for each point of a batch.
// select(count(2, 3, 2), [[2, 0], [1, 3]]) = [[[4, 5], [0, 1]], [[8, 9], [P, P]]]
