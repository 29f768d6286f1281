// A branch on a rounded sum, with another result on either side.
func.func @f(%a: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%a : tensor<16xf32>) outs(%i : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %three = arith.constant 3.0 : f32
    %d = arith.divf %x, %three : f32
    %t = arith.addf %d, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %v = tensor.extract %s[] : tensor<f32>
  %c = arith.cmpf ogt, %v, %zero : f32
  %r = scf.if %c -> (tensor<16xf32>) {
    %n = arith.addf %a, %a : tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  } else {
    %n = arith.negf %a : tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}
