func.func @g(%c: i1, %a: f32, %b: f32) -> (f32, f32) {
  %0:2 = "scf.if"(%c) ({
    "scf.yield"(%a, %b) : (f32, f32) -> ()
  }, {
    "scf.yield"(%b) : (f32) -> ()
  }) : (i1) -> (f32, f32)
  return %0#0, %0#1 : f32, f32
}
