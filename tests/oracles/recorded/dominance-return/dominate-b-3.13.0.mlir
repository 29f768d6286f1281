func.func @f(%c: i1, %a: f32) -> f32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %v = arith.negf %a : f32
  cf.br ^bb2
^bb2:
  return %v : f32
}
