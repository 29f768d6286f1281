@cancels(%a: tensor<2xf32>) -> tensor<2xf32>:
  %three = arith.constant dense<3.0> : tensor<2xf32>
  %third = arith.divf %a, %three : tensor<2xf32>
  %back = arith.mulf %third, %three : tensor<2xf32>
  %s = arith.addf %back, %a : tensor<2xf32>
  %t = arith.subf %s, %a : tensor<2xf32>
  %r = arith.subf %t, %a : tensor<2xf32>
func.func @compares(%a: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xi32>) {
  %three = arith.constant dense<3.0> : tensor<2xf32>
  %third = arith.divf %a, %three : tensor<2xf32>
  %back = arith.mulf %third, %three : tensor<2xf32>
  %c = arith.cmpf olt, %back, %a : tensor<2xf32>
  %i = arith.fptosi %back : tensor<2xf32> to tensor<2xi32>
  return %c, %i : tensor<2xi1>, tensor<2xi32>
}
@jumps(%a: tensor<8xf32>) -> tensor<8xf32>:
  %t = math.tanh %a : tensor<8xf32>
  %r = math.ceil %t : tensor<8xf32>
func.func @exact(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>) {
  %b = arith.mulf %a, %a : tensor<2xf32>
  %c = arith.addf %b, %a : tensor<2xf32>
  %d = arith.cmpf oeq, %c, %b : tensor<2xf32>
  return %c, %d : tensor<2xf32>, tensor<2xi1>
}
@narrows(%a: tensor<2xf32>) -> tensor<2xf8E4M3FN>:
  %r = arith.truncf %a : tensor<2xf32> to tensor<2xf8E4M3FN>
@matmul_f16(%a: tensor<1x?xf16>) -> tensor<1x1xf16>:
  %z = arith.constant dense<0.0> : tensor<1x1xf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<1x?xf16>
  %e = tensor.empty(%n) : tensor<?x1xf16>
  %one = arith.constant 1.0 : f16
  %b = linalg.fill ins(%one : f16) outs(%e : tensor<?x1xf16>) -> tensor<?x1xf16>
  %r = linalg.matmul ins(%a, %b : tensor<1x?xf16>, tensor<?x1xf16>)
    outs(%z : tensor<1x1xf16>) -> tensor<1x1xf16>
func.func @approximated(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r = math.cbrt %a : tensor<2xf32>
  %c = math.ceil %r : tensor<2xf32>
  %s = math.sqrt %a : tensor<2xf32>
  %d = math.ceil %s : tensor<2xf32>
  return %c, %d : tensor<2xf32>, tensor<2xf32>
}
func.func @small(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %s = math.sinh %a : tensor<2xf32>
  %e = math.expm1 %a : tensor<2xf32>
  return %s, %e : tensor<2xf32>, tensor<2xf32>
}
@complex(%a: tensor<2xf32>) -> tensor<2xf32>:
  %k = complex.constant [0.1 : f32, 0.3 : f32] : complex<f32>
  %r = linalg.map ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>)
    (%x: f32, %o: f32) {
      %z = complex.create %x, %x : complex<f32>
      %m = complex.mul %z, %k : complex<f32>
      %d = complex.div %m, %k : complex<f32>
      %n = complex.re %d : complex<f32>
      %f = math.floor %n : f32
      linalg.yield %f : f32
    }
func.func @estimated(%a: tensor<2xf32>) -> tensor<2xf32> {
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %q = arith.divf %a, %two fastmath<arcp> : tensor<2xf32>
  %r = arith.subf %q, %a : tensor<2xf32>
  %s = arith.addf %q, %r : tensor<2xf32>
  return %s : tensor<2xf32>
}
@stablehlo(%a: tensor<2xf32>) -> tensor<2xf32>:
  %three = stablehlo.constant dense<3.0> : tensor<2xf32>
  %third = stablehlo.divide %a, %three : tensor<2xf32>
  %back = stablehlo.multiply %third, %three : tensor<2xf32>
  %r = stablehlo.floor %back : tensor<2xf32>
@stablehlo_sum(%a: tensor<256xbf16>) -> tensor<bf16>:
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %r = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<256xbf16>, tensor<bf16>) -> tensor<bf16>
@stablehlo_dot(%a: tensor<256xbf16>) -> tensor<bf16>:
  %r = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0]
    : (tensor<256xbf16>, tensor<256xbf16>) -> tensor<bf16>
@zeros(%a: tensor<2xf32>) -> tensor<2xf32>:
  %s = math.sin %a : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %r = arith.divf %one, %s : tensor<2xf32>
func.func @sum(%a: tensor<4xf32>) -> f32 {
  %z = arith.constant dense<0.0> : tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<4xf32>) outs(%z : tensor<f32>) dimensions = [0]
  %e = tensor.extract %r[] : tensor<f32>
  %large = arith.constant 1.0e8 : f32
  %t = arith.mulf %e, %large : f32
  return %t : f32
}
@long_sum(%a: tensor<512xf32>) -> tensor<f32>:
  %i = arith.constant dense<-5.12e10> : tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<512xf32>) outs(%i : tensor<f32>)
    dimensions = [0]
@long_product(%a: tensor<1x512xf32>) -> tensor<1x1xf32>:
  %i = arith.constant dense<-5.12e10> : tensor<1x1xf32>
  %b = arith.constant dense<1.0> : tensor<512x1xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1x512xf32>, tensor<512x1xf32>)
    outs(%i : tensor<1x1xf32>) -> tensor<1x1xf32>
func.func @product(%a: tensor<1x4xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %i = arith.constant dense<1.0> : tensor<1xf32>
  %r = linalg.reduce { arith.mulf } ins(%a : tensor<1x4xf32>) outs(%i : tensor<1xf32>)
    dimensions = [1]
  %j = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %j) applies stablehlo.multiply across dimensions = [1]
    : (tensor<1x4xf32>, tensor<f32>) -> tensor<1xf32>
  return %r, %s : tensor<1xf32>, tensor<1xf32>
}
@sum_bf16(%a: tensor<1x?xbf16>) -> tensor<1xbf16>:
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<1x?xbf16>, tensor<bf16>) -> tensor<1xbf16>
@in_total_order(%a: tensor<3xf32>) -> tensor<3xf32>:
  %l = stablehlo.log %a : tensor<3xf32>
  %r = "stablehlo.sort"(%l) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
func.func @variance(%a: tensor<4x1xf32>) -> tensor<1xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %r:3 = "stablehlo.batch_norm_training"(%a, %one, %one) <{epsilon = 1.0 : f32,
    feature_index = 1 : i64}> : (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>)
    -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %r#2 : tensor<1xf32>
}
func.func @transform(%a: tensor<4xf32>) -> tensor<3xf32> {
  %r = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  %s = stablehlo.real %r : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  return %s : tensor<3xf32>
}
func.func @subnormal(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %tiny = arith.constant dense<1.0e-39> : tensor<2xf32>
  %huge = arith.constant dense<1.0e38> : tensor<2xf32>
  %s = arith.mulf %a, %tiny : tensor<2xf32>
  %r = arith.mulf %s, %huge : tensor<2xf32>
  %t = arith.mulf %a, %huge : tensor<2xf32>
  return %r, %t : tensor<2xf32>, tensor<2xf32>
}
