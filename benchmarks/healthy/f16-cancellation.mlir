// A sum in f16 of numbers that cancel each other: the order of the sum decides about the result.
// vmvx: cannot compile it
func.func @f(%a: tensor<64xf16>) -> tensor<f16> {
  %zero = arith.constant 0.0 : f16
  %big = arith.constant 1024.0 : f16
  %e = tensor.empty() : tensor<f16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<f16>) -> tensor<f16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%a : tensor<64xf16>) outs(%i : tensor<f16>) {
  ^bb0(%x: f16, %o: f16):
    %at = linalg.index 0 : index
    %c1 = arith.constant 1 : index
    %odd = arith.andi %at, %c1 : index
    %is = arith.cmpi eq, %odd, %c1 : index
    %up = arith.mulf %x, %big : f16
    %down = arith.negf %up : f16
    %t = arith.select %is, %up, %down : f16
    %s = arith.addf %t, %o : f16
    linalg.yield %s : f16
  } -> tensor<f16>
  return %r : tensor<f16>
}
