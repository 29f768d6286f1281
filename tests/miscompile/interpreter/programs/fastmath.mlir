@regrouped(%a: tensor<3xf32>) -> tensor<3xf32>:
  %large = arith.constant dense<1.0e30> : tensor<3xf32>
  %small = arith.constant dense<1.0e-30> : tensor<3xf32>
  %b = arith.mulf %a, %large fastmath<reassoc> : tensor<3xf32>
  %r = arith.mulf %b, %small fastmath<reassoc> : tensor<3xf32>
@in_a_body(%a: tensor<3xf32>) -> tensor<3xf32>:
  %large = arith.constant 1.0e30 : f32
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%a : tensor<3xf32>) (%x: f32, %o: f32) {
    %b = arith.mulf %x, %large fastmath<fast> : f32
    %c = arith.divf %b, %large fastmath<fast> : f32
    linalg.yield %c : f32
  }
@strict(%a: tensor<3xf32>) -> tensor<3xf32>:
  %large = arith.constant dense<1.0e30> : tensor<3xf32>
  %r = arith.mulf %a, %large fastmath<contract> : tensor<3xf32>
@pole(%a: tensor<3xf32>) -> tensor<3xf32>:
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %r = arith.divf %one, %a fastmath<reassoc> : tensor<3xf32>
@reciprocal(%a: tensor<3xf32>) -> tensor<3xf32>:
  %r = arith.divf %a, %a fastmath<arcp> : tensor<3xf32>
@signless(%a: tensor<3xf32>) -> tensor<3xf32>:
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %b = arith.addf %a, %zero fastmath<nsz> : tensor<3xf32>
  %r = arith.divf %one, %b : tensor<3xf32>
@signed(%a: tensor<3xf32>) -> tensor<3xf32>:
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %r = arith.divf %one, %a : tensor<3xf32>
