// Complex numbers of doubles, which the front end makes complex numbers of floats.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<12xcomplex<f64>>) -> tensor<12xcomplex<f64>> {
  %e = tensor.empty() : tensor<12xcomplex<f64>>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<12xcomplex<f64>>) outs(%e : tensor<12xcomplex<f64>>) {
  ^bb0(%x: complex<f64>, %o: complex<f64>):
    %p = complex.mul %x, %x : complex<f64>
    %r = complex.neg %p : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<12xcomplex<f64>>
  return %m : tensor<12xcomplex<f64>>
}
