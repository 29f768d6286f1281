////
"func.func"() <{function_type = (i1, i32, f32) -> (), sym_name = "f"}> ({
^bb0(%c: i1, %a: i32, %b: f32):
  "cf.cond_br"(%c, %a, %b, %b, %a)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 2>}> : (i1, i32, f32, f32, i32) -> ()
  ^bb1(%0: i32, %1: f32):  // 2 preds: ^bb0, ^bb2
  "t.use"(%0) : (i32) -> ()
  "func.return"() : () -> ()
  ^bb2(%2: f32, %3: i32):  // pred: ^bb0
  %4 = "t.make"(%2) : (f32) -> i32
  "cf.br"(%4, %b)[^bb1] : (i32, f32) -> ()
}) : () -> ()
//// at all of 3: unused ones and ones that are always the same
...
  "cf.cond_br"(%c, %a)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb1(%0: i32):  // 2 preds: ^bb0, ^bb2
...
  ^bb2:  // pred: ^bb0
  %4 = "t.make"(%b) : (f32) -> i32
  "cf.br"(%4)[^bb1] : (i32) -> ()
}) : () -> ()
//// at 2 of 3: one alone
...
  "cf.cond_br"(%c, %a, %b, %b)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 1>}> : (i1, i32, f32, f32) -> ()
...
  ^bb2(%2: f32):  // pred: ^bb0
...
////
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^bb0(%a: i32):
  "cf.br"(%a)[^bb1] : (i32) -> ()
  ^bb1(%0: i32):  // 2 preds: ^bb0, ^bb1
  "t.use"(%0) : (i32) -> ()
  "cf.br"(%0)[^bb1] : (i32) -> ()
}) : () -> ()
//// at all of 1: an argument that a loop passes to itself
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^bb0(%a: i32):
  "cf.br"()[^bb1] : () -> ()
  ^bb1:  // 2 preds: ^bb0, ^bb1
  "t.use"(%a) : (i32) -> ()
  "cf.br"()[^bb1] : () -> ()
}) : () -> ()
////
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  "func.return"() : () -> ()
  ^bb1(%0: i32):  // pred: ^bb1
  %1 = "t.make"(%0) : (i32) -> i32
  "cf.br"(%1)[^bb1] : (i32) -> ()
}) : () -> ()
//// at all of 0: a value of the block itself cannot stand for its argument
////
"func.func"() <{function_type = (i32, i32) -> (), sym_name = "f"}> ({
^bb0(%a: i32, %b: i32):
  "cf.switch"(%a, %a, %b)[^bb1, ^bb2, ^bb1] <{case_operand_segments = array<i32: 0, 1>, case_values = dense<[3, 5]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> ()
  ^bb1(%0: i32):
  "func.return"() : () -> ()
  ^bb2:
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 1: with what cases pass
...
"cf.switch"(%a)[^bb1, ^bb2, ^bb1] <{case_operand_segments = array<i32: 0, 0>, case_values = dense<[3, 5]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
^bb1:
...
