////
^bb0(%a: index):
"scf.index_switch"(%a) <{cases = array<i64: 5, 7>}> ({
  "t.default"() : () -> ()
  "scf.yield"() : () -> ()
}, {
  "t.five"() : () -> ()
  "scf.yield"() : () -> ()
}, {
  "t.seven"() : () -> ()
  "scf.yield"() : () -> ()
}) : (index) -> ()
//// at 0 of 4: a case goes with its value
^bb0(%a: index):
"scf.index_switch"(%a) <{cases = array<i64: 7>}> ({
  "t.default"() : () -> ()
  "scf.yield"() : () -> ()
}, {
  "t.seven"() : () -> ()
  "scf.yield"() : () -> ()
}) : (index) -> ()
//// at 0, 1 of 4: all cases
^bb0(%a: index):
"scf.index_switch"(%a) <{cases = array<i64>}> ({
  "t.default"() : () -> ()
  "scf.yield"() : () -> ()
}) : (index) -> ()
////
^bb0(%a: tensor<i32>, %b: f32):
%0 = "stablehlo.case"(%a) ({
  "stablehlo.return"(%b) : (f32) -> ()
}, {
  %1 = "t.use"(%b) : (f32) -> f32
  "stablehlo.return"(%1) : (f32) -> ()
}, {
  "stablehlo.return"(%b) : (f32) -> ()
}) : (tensor<i32>) -> f32
//// at 0, 2 of 3: of many, without a list
^bb0(%a: tensor<i32>, %b: f32):
%0 = "stablehlo.case"(%a) ({
  %1 = "t.use"(%b) : (f32) -> f32
  "stablehlo.return"(%1) : (f32) -> ()
}) : (tensor<i32>) -> f32
////
^bb0(%a: i1):
"scf.if"(%a) ({
  "scf.yield"() : () -> ()
}, {
  "t.else"() : () -> ()
  "scf.yield"() : () -> ()
}) : (i1) -> ()
//// at all of 1: a region without blocks
^bb0(%a: i1):
"scf.if"(%a) ({
  "scf.yield"() : () -> ()
}, {
}) : (i1) -> ()
////
^bb0(%a: i1, %b: f32):
%0 = "scf.if"(%a) ({
  "scf.yield"(%b) : (f32) -> ()
}, {
  "scf.yield"(%b) : (f32) -> ()
}) : (i1) -> f32
//// at all of 0: not where each region gives results
////
^bb0(%a: index):
"scf.index_switch"(%a) <{cases = array<i64: 5, 7>}> ({
  "scf.yield"() : () -> ()
}, {
}, {
  "scf.yield"() : () -> ()
}) : (index) -> ()
//// at all of 1: not beside a region without blocks
^bb0(%a: index):
"scf.index_switch"(%a) <{cases = array<i64: 5, 7>}> ({
  "scf.yield"() : () -> ()
}, {
}, {
}) : (index) -> ()
