// Elements in reverse order, added to every other one of them.
func.func @f(%a: tensor<16xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c2 = arith.constant 2 : index
    %c15 = arith.constant 15 : index
    %j = arith.muli %i, %c2 : index
    %k = arith.subi %c15, %i : index
    %x = tensor.extract %a[%j] : tensor<16xf32>
    %y = tensor.extract %a[%k] : tensor<16xf32>
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
