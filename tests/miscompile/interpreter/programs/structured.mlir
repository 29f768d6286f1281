#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#diagonal = affine_map<(d0) -> (d0, d0)>
#d = affine_map<(d0) -> (d0)>

@elementwise(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32>:
  %r = linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%b : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
// elementwise(a := some(5, 7), b := some(7, 5)) = a.T - b
// elementwise(np.zeros((0, 3)), np.zeros((3, 0))) = np.zeros((3, 0))

@sum(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %q = math.absf %x : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
// A reduction starts from the output.
// sum(a := some(5, 7), o := some(5)) = o + np.abs(a).sum(1)
// sum([[1, 1], [P, 1]], [0, 0]) = [2, P]
// sum(np.zeros((2, 0)), [1, 2]) = [1, 2]

func.func @argmax(%a: tensor<?x?xf32>, %v: tensor<?xf32>, %n: tensor<?xi32>) -> tensor<?xi32> {
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row],
      iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<?x?xf32>) outs(%v, %n : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%x: f32, %best: f32, %where: i32):
    %i = linalg.index 1 : index
    %here = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %x, %best : f32
    %b = arith.select %c, %x, %best : f32
    %w = arith.select %c, %here, %where : i32
    linalg.yield %b, %w : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  return %r#1 : tensor<?xi32>
}
// A reduction that depends on the order.
// argmax(a := some(5, 7), [-inf] * 5, [0] * 5) = a.argmax(1)

@diagonal(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.generic {indexing_maps = [#diagonal, #d], iterator_types = ["parallel"]}
    ins(%a : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    linalg.yield %x : f32
  } -> tensor<?xf32>
// diagonal(a := some(4, 4), some(4)) = np.diagonal(a)

@gather(%a: tensor<?xf32>, %n: tensor<?xi64>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.generic {indexing_maps = [#d, #d], iterator_types = ["parallel"]}
    ins(%n : tensor<?xi64>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: i64, %s: f32):
    %c0 = arith.constant 0 : i64
    %zero = arith.constant 0.0 : f32
    %i = arith.index_cast %x : i64 to index
    %e = tensor.extract %a[%i] : tensor<?xf32>
    %c = arith.cmpi slt, %x, %c0 : i64
    %f = arith.select %c, %zero, %e : f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
// gather([10, 20, 30], [2, 0], [0, 0]) = [30, 10]
// What a negative index reads is not selected.
// gather([10, 20, 30], [-1, 7], [0, 0]) = [0, P]

@branches(%a: tensor<?xi32>) -> tensor<?xi32>:
  %r = linalg.generic {indexing_maps = [#d], iterator_types = ["parallel"]}
    outs(%a : tensor<?xi32>) {
  ^bb0(%x: i32):
    %c0 = arith.constant 0 : i32
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.cmpi eq, %x, %c0 : i32
    %f = scf.if %c -> i32 {
      scf.yield %n : i32
    } else {
      %q = arith.divsi %n, %x : i32
      scf.yield %q : i32
    }
    linalg.yield %f : i32
  } -> tensor<?xi32>
// branches([0, 1, 0, 2, 2]) = [0, 1, 2, 1, 2]

@loops(%a: tensor<?xi32>) -> tensor<?xi32>:
  %r = linalg.generic {indexing_maps = [#d], iterator_types = ["parallel"]}
    outs(%a : tensor<?xi32>) {
  ^bb0(%x: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %f = scf.for %i = %c0 to %x step %c1 iter_args(%s = %c0) -> i32 : i32 {
      %t = arith.addi %s, %i : i32
      scf.yield %t : i32
    }
    linalg.yield %f : i32
  } -> tensor<?xi32>
// Points may loop for different times.
// loops([0, 1, 2, 3, 4]) = [0, 0, 1, 3, 6]

@matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32>:
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
    outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
// matmul(a := some(4, 6), b := some(6, 5), o := some(4, 5)) = o + a @ b
// matmul([[1, 2], [P, 1]], [[1, 0, 2], [0, 1, 0]], [[0] * 3] * 2) = [[1, 2, 2], [P, P, P]]
// matmul(some(2, 3), some(2, 2), some(2, 2)) fails: different sizes, 3 and 2

@matmul_i8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %o: tensor<?x?xi32>)
    -> tensor<?x?xi32>:
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>)
    outs(%o : tensor<?x?xi32>) -> tensor<?x?xi32>
// Integers wrap around.
// matmul_i8(a := count(3, 300) * 7 % 256 - 128, b := count(300, 2) * 5 % 256 - 128, np.full((3, 2), 2**31 - 1)) =
//   (a @ b + 2**31 - 1).astype(np.int32)

@matmul_f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %o: tensor<?x?xf16>)
    -> tensor<?x?xf16>:
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>)
    outs(%o : tensor<?x?xf16>) -> tensor<?x?xf16>
// Half precision sums round each step: 2048 + 1 is not representable.
// matmul_f16(np.ones((1, 2100)), np.ones((2100, 1)), [[0]]) = [[2048]]

@conv(%a: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32>:
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>,
      dilations = dense<1> : tensor<2xi64>}
    ins(%a, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
    outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
// conv(a := some(2, 7, 8, 3), k := some(3, 2, 3, 4), np.zeros((2, 3, 4, 4))) =
//   np.einsum("nhwcij,ijcf->nhwf", np.lib.stride_tricks.sliding_window_view(a, (3, 2), (1, 2))[:, ::2, ::2], k)
// conv(some(2, 7, 8, 3), some(3, 2, 3, 4), np.zeros((2, 4, 4, 4))) fails: index 8 is out of bounds

@pool(%a: tensor<1x?x?x?xf32>, %w: tensor<2x2xf32>, %o: tensor<1x?x?x?xf32>)
    -> tensor<1x?x?x?xf32>:
  %r = linalg.pooling_nhwc_max {strides = dense<1> : tensor<2xi64>,
      dilations = dense<1> : tensor<2xi64>}
    ins(%a, %w : tensor<1x?x?x?xf32>, tensor<2x2xf32>)
    outs(%o : tensor<1x?x?x?xf32>) -> tensor<1x?x?x?xf32>
// pool(a := some(1, 4, 5, 2), [[0, 0], [0, 0]], np.full((1, 3, 4, 2), -inf)) =
//   np.lib.stride_tricks.sliding_window_view(a, (2, 2), (1, 2)).max((-1, -2))

@overwritten() -> tensor<4xf32>:
  %e = tensor.empty() : tensor<4xf32>
  %c = arith.constant 1.0 : f32
  %r = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
// An output that is only written may be uninitialized.
// overwritten() = [1, 1, 1, 1]

@softmax(%a: tensor<2x3xf32>) -> tensor<2x3xf32>:
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>)
    -> tensor<2x3xf32>
// softmax(a := some(2, 3)) ~ np.exp(a) / np.exp(a).sum(1, keepdims=True)

@copied(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>:
  %r = linalg.copy ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
// copied(a := some(2, 3), some(2, 3)) = a
// copied(some(2, 3), some(2, 2)) fails: different sizes

@converted(%a: tensor<?xi32>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.copy ins(%a : tensor<?xi32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
// converted([1, -2], [0, 0]) = [1, -2]

@transposed(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>:
  %r = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) permutation = [1, 0]
// transposed(a := some(2, 3), some(3, 2)) = a.T
// transposed(some(2, 3), some(2, 3)) fails: different sizes

@normalized(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>:
  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>)
    -> tensor<?x?xf32>
// normalized(np.zeros((2, 0)), np.zeros((2, 0))) = np.zeros((2, 0))
// normalized(some(2, 3), some(3, 3)) fails: different sizes

@repeated(%a: tensor<?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>:
  %r = linalg.broadcast ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?x?xf32>) dimensions = [1]
// repeated([[1, 2]], some(1, 3, 2)) = [[[1, 2], [1, 2], [1, 2]]]
// repeated(some(2, 3), some(2, 3, 1)) fails: different sizes
