////
^bb0(%c: i1):
"cf.br"()[^bb1] : () -> ()
^bb1:  // 2 preds: ^bb0, ^bb2
"llvm.cond_br"(%c)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb2:  // pred: ^bb1
"t.body"() : () -> ()
"cf.br"()[^bb1] : () -> ()
^bb3:  // pred: ^bb1
//// at 2 of 3: return instead of looping
"func.func"() <{function_type = (i1) -> (), sym_name = "f"}> ({
  ^bb0(%c: i1):
  "llvm.cond_br"(%c)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
  ^bb2:  // pred: ^bb1
  "t.body"() : () -> ()
  "func.return"() : () -> ()
  ^bb3:  // pred: ^bb1
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 3: return at once
^bb0(%c: i1):
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
//// at all of 3: another value of the type is returned
^bb0(%c: i1, %a: i32, %b: i32):
"func.return"(%a) : (i32) -> ()
//// at 1 of 3: what a branch passes on is returned first
^bb0(%c: i1, %a: i32, %b: i32):
"cf.cond_br"(%c, %a, %b)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"func.return"(%1) : (i32) -> ()
^bb2(%2: i32):  // pred: ^bb0
%3 = "t.two"(%2) : (i32) -> i32
"func.return"(%3) : (i32) -> ()
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
"func.return"(%b) : (i32) -> ()
//// at all of 3: a value of the first block is returned as it is
^bb0(%c: i1, %a: i32, %b: i32):
"func.return"(%b) : (i32) -> ()
////
"cf.br"()[^bb1] : () -> ()
^bb1:  // pred: ^bb0
%0 = "t.one"() : () -> i32
"func.return"(%0) : (i32) -> ()
//// at all of 0: no return without a value of the type
////
^bb0(%c: i1):
"cf.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb1:  // pred: ^bb0
^bb2:  // pred: ^bb0
//// at all of 1: return instead of a jump to a block without ops
^bb0(%c: i1):
////
"func.func"() <{function_type = () -> i32, sym_name = "f"}> ({
  "cf.br"()[^bb1] : () -> ()
  ^bb1:  // 2 preds: ^bb0, ^bb1
  %0 = "t.body"() : () -> i32
  "cf.br"()[^bb1] : () -> ()
}) : () -> ()
//// at all of 1: a loop without an end gets a return
%0 = "t.body"() : () -> i32
"func.return"(%0) : (i32) -> ()
