@signs(%a: tensor<2xf32>) -> tensor<2xf32>:
  %many = arith.constant 1073741824.0 : f32
  %r = linalg.map ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>)
    (%x: f32, %o: f32) {
      %z = complex.create %x, %x : complex<f32>
      %s = complex.sign %z : complex<f32>
      %n = complex.re %s : complex<f32>
      %f = arith.mulf %n, %many : f32
      linalg.yield %f : f32
    }
@scaled(%a: tensor<2xf32>) -> tensor<2xf32>:
  %i = arith.fptosi %a : tensor<2xf32> to tensor<2xi8>
  %scale = arith.constant 0.1 : f32
  %zero = arith.constant 2 : i64
  %e = tensor.empty() : tensor<2xf32>
  %q = iree_linalg_ext.dequantize_affine <indexing_maps = [affine_map<(d0) -> (d0)>,
    affine_map<(d0) -> ()>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
    quant_min = -128, quant_max = 127> ins(%i, %scale, %zero : tensor<2xi8>, f32, i64)
    outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %many = arith.constant dense<1073741824.0> : tensor<2xf32>
  %r = arith.mulf %q, %many : tensor<2xf32>
@softmax(%a: tensor<2xf32>) -> tensor<2xf32>:
  %e = tensor.empty() : tensor<2xf32>
  %s = linalg.softmax dimension(0) ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %many = arith.constant dense<1073741824.0> : tensor<2xf32>
  %r = arith.mulf %s, %many : tensor<2xf32>
func.func @sines(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %s, %c = math.sincos %a : tensor<2xf32>
  %many = arith.constant dense<1073741824.0> : tensor<2xf32>
  %r = arith.mulf %s, %many : tensor<2xf32>
  %t = arith.mulf %c, %many : tensor<2xf32>
  return %r, %t : tensor<2xf32>, tensor<2xf32>
}
@powers(%a: tensor<2xf32>) -> tensor<2xf32>:
  %seven = arith.constant dense<-7> : tensor<2xi32>
  %p = math.fpowi %a, %seven : tensor<2xf32>, tensor<2xi32>
  %many = arith.constant dense<36028797018963968.0> : tensor<2xf32>
  %r = arith.mulf %p, %many : tensor<2xf32>
