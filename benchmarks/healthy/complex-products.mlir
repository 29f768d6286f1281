// Products, sums and conjugates of complex arguments.
// vmvx: cannot compile it
#map = affine_map<(i) -> (i)>
func.func @f(%a: tensor<12xcomplex<f32>>, %b: tensor<12xcomplex<f32>>) -> tensor<12xcomplex<f32>> {
  %e = tensor.empty() : tensor<12xcomplex<f32>>
  %m = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>)
      outs(%e : tensor<12xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %o: complex<f32>):
    %p = complex.mul %x, %y : complex<f32>
    %q = complex.sub %p, %x : complex<f32>
    %im = complex.im %y : complex<f32>
    %re = complex.re %q : complex<f32>
    %s = complex.create %re, %im : complex<f32>
    %r = complex.add %s, %p : complex<f32>
    linalg.yield %r : complex<f32>
  } -> tensor<12xcomplex<f32>>
  return %m : tensor<12xcomplex<f32>>
}
