// The maximum and the sum of no elements, if the slice is empty.
func.func @f(%a: tensor<?xf32>, %n: index) -> (tensor<f32>, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %size = arith.subi %n, %c1 : index
  %s = tensor.extract_slice %a[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%s : tensor<?xf32>) outs(%i : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %r, %s : tensor<f32>, tensor<?xf32>
}
