// Quotients, absolute values and exponentials of complex arguments, with division by zero.
// vmvx: cannot compile it
#map = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<3x?xcomplex<f32>>, %b: tensor<3x?xcomplex<f32>>)
    -> (tensor<3x?xcomplex<f32>>, tensor<3x?xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<3x?xcomplex<f32>>
  %e = tensor.empty(%n) : tensor<3x?xcomplex<f32>>
  %f = tensor.empty(%n) : tensor<3x?xf32>
  %m:2 = linalg.generic {indexing_maps = [#map, #map, #map, #map],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<3x?xcomplex<f32>>, tensor<3x?xcomplex<f32>>)
      outs(%e, %f : tensor<3x?xcomplex<f32>>, tensor<3x?xf32>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %o: complex<f32>, %q: f32):
    %p = complex.div %x, %y : complex<f32>
    %d = complex.exp %p : complex<f32>
    %r = complex.abs %x : complex<f32>
    linalg.yield %d, %r : complex<f32>, f32
  } -> (tensor<3x?xcomplex<f32>>, tensor<3x?xf32>)
  return %m#0, %m#1 : tensor<3x?xcomplex<f32>>, tensor<3x?xf32>
}
