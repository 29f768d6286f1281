func.func @sum() -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %init = arith.constant 0.0 : f32
  %end = affine.min affine_map<()[s0] -> (s0, 8)>()[%ten]
  %r = scf.parallel (%i) = (%zero) to (%end) step (%one) init (%init) -> f32 {
    %x = arith.addf %init, %init : f32
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
