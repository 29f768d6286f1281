////
"func.func"() <{function_type = (i32, f32) -> f32, sym_name = "main"}> ({
^bb0(%arg0: i32, %arg1: f32):
  %0:2 = "func.call"(%arg0, %arg1) <{callee = @g}> : (i32, f32) -> (i32, f32)
  "func.return"(%0#1) : (f32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i32, f32) -> (i32, f32), sym_name = "g"}> ({
^bb0(%arg0: i32, %arg1: f32):
  %0 = "t.one"() : () -> i32
  "func.return"(%0, %arg1) : (i32, f32) -> ()
}) : () -> ()
//// at 1 of 2: an unused result
...
  %s0 = "func.call"(%arg0, %arg1) <{callee = @g}> : (i32, f32) -> f32
  "func.return"(%s0) : (f32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i32, f32) -> f32, sym_name = "g"}> ({
...
  "func.return"(%arg1) : (f32) -> ()
}) : () -> ()
////
"func.func"() <{function_type = (i32, f32) -> f32, sym_name = "main"}> ({
^bb0(%arg0: i32, %arg1: f32):
  %0:2 = "func.call"(%arg0, %arg1) <{callee = @g}> : (i32, f32) -> (i32, f32)
  "func.return"(%0#1) : (f32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i32, f32) -> (i32, f32), sym_name = "g"}> ({
^bb0(%arg0: i32, %arg1: f32):
  %0 = "t.one"() : () -> i32
  "func.return"(%0, %arg1) : (i32, f32) -> ()
}) : () -> ()
"t.export"() {f = @g} : () -> ()
//// at all of 1: a function that is also passed on keeps its type
"func.func"() <{function_type = (i32, f32) -> (), sym_name = "main"}> ({
...
  "func.return"() : () -> ()
...
////
^bb0(%arg0: i32, %arg1: f32):
%0 = "t.a"(%arg1) : (f32) -> f32
%1 = "t.b"() : () -> i32
"func.return"(%0, %1) : (f32, i32) -> ()
//// at 0 of 2: dropping a result
...
"func.return"(%1) : (i32) -> ()
////
^bb0(%c: i1, %a: i32):
"cf.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb1:  // pred: ^bb0
"func.return"(%c, %a) : (i1, i32) -> ()
^bb2:  // pred: ^bb0
%0 = "t.b"() : () -> i1
"func.return"(%0, %a) : (i1, i32) -> ()
//// at 1 of 2: dropping a result at every return
...
"func.return"(%c) : (i1) -> ()
...
"func.return"(%0) : (i1) -> ()
////
"func.func"() <{function_type = (i32, f32) -> (f32, i32), sym_name = "f"}> ({
^bb0(%arg0: i32, %arg1: f32):
  %0 = "t.a"(%arg1) : (f32) -> f32
  %1 = "t.b"() : () -> i32
  "func.return"(%0, %1) : (f32, i32) -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "caller"}> ({
  "t.call"() {callee = @f} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 0: the signature of a called function stays
////
"func.func"() <{function_type = (i32, f32) -> (f32, i32), sym_name = "f"}> ({
^bb0(%arg0: i32, %arg1: f32):
  %0 = "t.a"(%arg1) : (f32) -> f32
  %1 = "t.b"() : () -> i32
  "func.return"(%0, %1) : (f32, i32) -> ()
}) : () -> ()
"t.export"() {function_ref = @f} : () -> ()
//// at all of 0: arguments of an exported function may be dropped
