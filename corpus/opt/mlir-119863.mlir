func.func @loop(%x: f32) -> f32 {
  cf.br ^a
^a:
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %i = %zero to %ten step %one iter_args(%s = %x) -> f32 {
    %d = arith.addf %s, %s : f32
    scf.yield %d : f32
  }
  cf.br ^b
^b:
  return %r : f32
}
