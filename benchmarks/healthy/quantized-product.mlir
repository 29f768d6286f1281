// A product of bytes with zero points, scaled, rounded and clamped to bytes again.
func.func @f(%a: tensor<5x16xi8>, %b: tensor<16x6xi8>) -> tensor<5x6xi8> {
  %c0 = arith.constant 0 : i32
  %za = arith.constant 3 : i32
  %zb = arith.constant -7 : i32
  %e = tensor.empty() : tensor<5x6xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<5x6xi32>) -> tensor<5x6xi32>
  %m = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<5x16xi8>, tensor<16x6xi8>, i32, i32)
      outs(%i : tensor<5x6xi32>) -> tensor<5x6xi32>
  %eb = tensor.empty() : tensor<5x6xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%m : tensor<5x6xi32>) outs(%eb : tensor<5x6xi8>) {
  ^bb0(%x: i32, %o: i8):
    %k = arith.constant 0.0123 : f32
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %y = arith.sitofp %x : i32 to f32
    %s = arith.mulf %y, %k : f32
    %t = math.roundeven %s : f32
    %u = arith.maximumf %t, %lo : f32
    %v = arith.minimumf %u, %hi : f32
    %w = arith.fptosi %v : f32 to i8
    linalg.yield %w : i8
  } -> tensor<5x6xi8>
  return %r : tensor<5x6xi8>
}
