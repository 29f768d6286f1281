// A gather whose indices are clamped to the tensor, with negative and huge ones.
func.func @f(%a: tensor<9xf32>, %n: tensor<12xi32>) -> tensor<12xf32> {
  %e = tensor.empty() : tensor<12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%n : tensor<12xi32>) outs(%e : tensor<12xf32>) {
  ^bb0(%x: i32, %o: f32):
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %p = arith.maxsi %x, %c0 : i32
    %q = arith.minsi %p, %c8 : i32
    %i = arith.index_cast %q : i32 to index
    %v = tensor.extract %a[%i] : tensor<9xf32>
    linalg.yield %v : f32
  } -> tensor<12xf32>
  return %r : tensor<12xf32>
}
