////
^bb0(%c: i1, %a: i32, %b: i32):
"cf.cond_br"(%c, %a, %b)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"cf.br"(%1)[^bb3] : (i32) -> ()
^bb2(%2: i32):  // pred: ^bb0
%3 = "t.two"(%2) : (i32) -> i32
"cf.br"(%3)[^bb3] : (i32) -> ()
^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
"func.return"(%4) : (i32) -> ()
//// at 0 of 2: the first successor
^bb0(%c: i1, %a: i32, %b: i32):
"cf.br"(%a)[^bb1] : (i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"cf.br"(%1)[^bb3] : (i32) -> ()
^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
"func.return"(%4) : (i32) -> ()
//// at 1 of 2: the second successor
^bb0(%c: i1, %a: i32, %b: i32):
"cf.br"(%b)[^bb2] : (i32) -> ()
^bb2(%2: i32):  // pred: ^bb0
%3 = "t.two"(%2) : (i32) -> i32
"cf.br"(%3)[^bb3] : (i32) -> ()
^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
"func.return"(%4) : (i32) -> ()
////
^bb0(%c: i1):
"cf.br"()[^bb1] : () -> ()
^bb1:  // 2 preds: ^bb0, ^bb2
"llvm.cond_br"(%c)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb2:  // pred: ^bb1
"t.body"() : () -> ()
"cf.br"()[^bb1] : () -> ()
^bb3:  // pred: ^bb1
//// at 1 of 2: out of a loop
^bb0(%c: i1):
"cf.br"()[^bb1] : () -> ()
^bb1:  // 2 preds: ^bb0, ^bb2
"llvm.br"()[^bb3] : () -> ()
^bb3:  // pred: ^bb1
////
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^bb0(%a: i32):
  "cf.switch"(%a)[^bb1, ^bb2] <{case_values = dense<1> : tensor<1xi32>, case_operand_segments = array<i32: 0>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
  ^bb1:  // pred: ^bb0
  "t.default"() : () -> ()
  "func.return"() : () -> ()
  ^bb2:  // pred: ^bb0
  "t.case"() : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
//// at 1 of 2: a switch jumps to a successor without operands
^bb0(%a: i32):
"cf.br"()[^bb2] : () -> ()
^bb2:  // pred: ^bb0
"t.case"() : () -> ()
////
^bb0(%c: i1):
"cf.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb1:  // pred: ^bb0
^bb2:  // pred: ^bb0
//// at 1 of 2: an empty block is removed with its branch
^bb0(%c: i1):
"cf.br"()[^bb2] : () -> ()
^bb2:  // pred: ^bb0
////
^bb0(%c: i1, %a: i32, %b: i32):
"t.choose"(%c, %a, %b)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"t.go"(%1)[^bb3] : (i32) -> ()
^bb2(%2: i32):  // pred: ^bb0
%3 = "t.two"(%2) : (i32) -> i32
"t.go"(%3)[^bb3] : (i32) -> ()
^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
"func.return"(%4) : (i32) -> ()
//// at 0 of 2: branches of any dialect take its plain jump
^bb0(%c: i1, %a: i32, %b: i32):
"t.go"(%a)[^bb1] : (i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"t.go"(%1)[^bb3] : (i32) -> ()
^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
"func.return"(%4) : (i32) -> ()
////
^bb0(%c: i1, %a: i32, %b: i32):
"t.choose"(%c, %a, %b)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"t.end"(%1) : (i32) -> ()
^bb2(%2: i32):  // pred: ^bb0
%3 = "t.two"(%2) : (i32) -> i32
"t.end"(%3) : (i32) -> ()
^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
"func.return"(%4) : (i32) -> ()
//// at all of 0: branches stay in a module that shows no jump
////
^bb0(%c: i1, %a: i32, %b: i32):
"std.cond_br"(%c, %a, %b)[^bb1, ^bb2] {operand_segment_sizes = dense<1> : vector<3xi32>} : (i1, i32, i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"std.br"(%1)[^bb3] : (i32) -> ()
^bb2(%2: i32):  // pred: ^bb0
%3 = "t.two"(%2) : (i32) -> i32
"std.br"(%3)[^bb3] : (i32) -> ()
^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
"func.return"(%4) : (i32) -> ()
//// at 1 of 2: segment sizes as releases up to 15 print them
^bb0(%c: i1, %a: i32, %b: i32):
"std.br"(%b)[^bb2] : (i32) -> ()
^bb2(%2: i32):  // pred: ^bb0
%3 = "t.two"(%2) : (i32) -> i32
"std.br"(%3)[^bb3] : (i32) -> ()
^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
"func.return"(%4) : (i32) -> ()
////
^bb0(%a: i32):
"fir.select"(%a)[^bb1, ^bb2] : (i32) -> ()
^bb1:  // pred: ^bb0
"cf.br"()[^bb2] : () -> ()
^bb2:  // 2 preds: ^bb0, ^bb1
//// at 1 of 2: a dialect without a jump uses that of another
^bb0(%a: i32):
"cf.br"()[^bb2] : () -> ()
^bb2:  // 2 preds: ^bb0, ^bb1
