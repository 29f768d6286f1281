func.func @matmul(%a: tensor<5x7xf32>, %b: tensor<7x6xf32>, %o: tensor<5x6xf32>)
    -> tensor<5x6xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<5x7xf32>, tensor<7x6xf32>)
    outs(%o : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %r : tensor<5x6xf32>
}
func.func @matmul_i8(%a: tensor<5x?xi8>, %b: tensor<?x6xi8>, %o: tensor<5x6xi32>)
    -> tensor<5x6xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<5x?xi8>, tensor<?x6xi8>)
    outs(%o : tensor<5x6xi32>) -> tensor<5x6xi32>
  return %r : tensor<5x6xi32>
}
func.func @conv(%a: tensor<1x8x9x3xf32>, %k: tensor<3x2x3x4xf32>, %o: tensor<1x3x4x4xf32>)
    -> tensor<1x3x4x4xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>,
      dilations = dense<1> : tensor<2xi64>}
    ins(%a, %k : tensor<1x8x9x3xf32>, tensor<3x2x3x4xf32>)
    outs(%o : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  return %r : tensor<1x3x4x4xf32>
}
func.func @depthwise(%a: tensor<1x6x6x3xf32>, %k: tensor<3x3x3xf32>, %o: tensor<1x4x4x3xf32>)
    -> tensor<1x4x4x3xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>,
      dilations = dense<1> : tensor<2xi64>}
    ins(%a, %k : tensor<1x6x6x3xf32>, tensor<3x3x3xf32>)
    outs(%o : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %r : tensor<1x4x4x3xf32>
}
func.func @pool(%a: tensor<1x6x6x3xf32>, %k: tensor<2x2xf32>, %o: tensor<1x3x3x3xf32>)
    -> tensor<1x3x3x3xf32> {
  %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>,
      dilations = dense<1> : tensor<2xi64>}
    ins(%a, %k : tensor<1x6x6x3xf32>, tensor<2x2xf32>)
    outs(%o : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
  return %r : tensor<1x3x3x3xf32>
}
func.func @reduce(%a: tensor<4x?x6xi32>, %o: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %r = linalg.reduce { arith.addi } ins(%a : tensor<4x?x6xi32>) outs(%o : tensor<4x6xi32>)
    dimensions = [1]
  return %r : tensor<4x6xi32>
}
func.func @softmax(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>)
    -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
func.func @pad(%a: tensor<?x4xf32>) -> tensor<?x7xf32> {
  %x = arith.constant 9.0 : f32
  %r = tensor.pad %a low[1, 2] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %x : f32
  } : tensor<?x4xf32> to tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}
func.func @slices(%a: tensor<8x6xf32>, %b: tensor<3x2xf32>) -> tensor<8x6xf32> {
  %s = tensor.extract_slice %a[1, 1] [3, 2] [2, 2] : tensor<8x6xf32> to tensor<3x2xf32>
  %t = arith.addf %s, %b : tensor<3x2xf32>
  %r = tensor.insert_slice %t into %a[2, 3] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}
func.func @transposed(%a: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x2x3xf32>
  %t = linalg.transpose ins(%a : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>)
    permutation = [2, 0, 1]
  %r = tensor.collapse_shape %t [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
func.func @loop(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> tensor<4xf32> {
    %t = arith.addf %s, %a : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func @sort(%a: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %r = iree_linalg_ext.sort dimension(1) outs(%a : tensor<3x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf olt, %x, %y : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}
func.func @scan(%a: tensor<3x8xi32>) -> (tensor<3x8xi32>, tensor<8xi32>) {
  %e = tensor.empty() : tensor<3x8xi32>
  %c = arith.constant dense<0> : tensor<8xi32>
  %r:2 = iree_linalg_ext.scan dimension(0) inclusive(true)
    ins(%a : tensor<3x8xi32>) outs(%e, %c : tensor<3x8xi32>, tensor<8xi32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    iree_linalg_ext.yield %s : i32
  } -> tensor<3x8xi32>, tensor<8xi32>
  return %r#0, %r#1 : tensor<3x8xi32>, tensor<8xi32>
}
func.func @exclusive(%a: tensor<8xi32>) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8xi32>
  %c = arith.constant dense<5> : tensor<i32>
  %r:2 = iree_linalg_ext.scan dimension(0) inclusive(false)
    ins(%a : tensor<8xi32>) outs(%e, %c : tensor<8xi32>, tensor<i32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    iree_linalg_ext.yield %s : i32
  } -> tensor<8xi32>, tensor<i32>
  return %r#0 : tensor<8xi32>
}
func.func @scatter(%o: tensor<6x3xf32>, %u: tensor<4x3xf32>) -> tensor<6x3xf32> {
  %i = arith.constant dense<[[1], [4], [1], [0]]> : tensor<4x1xi32>
  %r = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
    ins(%u, %i : tensor<4x3xf32>, tensor<4x1xi32>) outs(%o : tensor<6x3xf32>) {
  ^bb0(%new: f32, %old: f32):
    %s = arith.addf %new, %old : f32
    iree_linalg_ext.yield %s : f32
  } -> tensor<6x3xf32>
  return %r : tensor<6x3xf32>
}
func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>)
    -> tensor<2x4x8xf32> {
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<2x4x8xf32>
  %r = iree_linalg_ext.attention <{indexing_maps = [
      affine_map<(b, m, n, k1, k2) -> (b, m, k1)>, affine_map<(b, m, n, k1, k2) -> (b, k2, k1)>,
      affine_map<(b, m, n, k1, k2) -> (b, k2, n)>, affine_map<(b, m, n, k1, k2) -> ()>,
      affine_map<(b, m, n, k1, k2) -> (b, m, n)>]}>
    ins(%q, %k, %v, %scale : tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>, f32)
    outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}
func.func @fft(%re: tensor<8xf32>, %im: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c2 = arith.constant 2 : index
  %cr = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %ci = arith.constant dense<[0.0, -1.0]> : tensor<2xf32>
  %r:2 = iree_linalg_ext.fft ins(%c2, %cr, %ci : index, tensor<2xf32>, tensor<2xf32>)
    outs(%re, %im : tensor<8xf32>, tensor<8xf32>) : tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
