func.func @f(%c: i1, %a: i32) -> i32 {
  %0 = "scf.if"(%c) ({
    "scf.yield"(%a) : (i32) -> ()
  }, {
    "scf.yield"() : () -> ()
  }) : (i1) -> i32
  return %0 : i32
}
