////
"func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
^bb0(%arg0: i32):
  %0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
  %1 = "t.add"(%0#0, %0#1) : (i32, i32) -> i32
  "func.return"(%1) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "two"}> ({
^bb0(%arg0: i32, %arg1: i32):
  %0:2 = "t.once"(%arg1) ({
  ^bb0(%arg2: i32):
    %1 = "t.neg"(%arg2) {s = "%arg1"} : (i32) -> i32
    "t.yield"(%1, %arg0) : (i32, i32) -> ()
  }) : (i32) -> (i32, i32)
  "func.return"(%0#1, %arg0) : (i32, i32) -> ()
}) : () -> ()
//// at all of 1: the body is renamed and the function removed
"func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
^bb0(%arg0: i32):
  %s0:2 = "t.once"(%arg0) ({
  ^bb0(%s1: i32):
    %s2 = "t.neg"(%s1) {s = "%arg1"} : (i32) -> i32
    "t.yield"(%s2, %arg0) : (i32, i32) -> ()
  }) : (i32) -> (i32, i32)
  %1 = "t.add"(%s0#1, %arg0) : (i32, i32) -> i32
  "func.return"(%1) : (i32) -> ()
}) : () -> ()
////
"func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
^bb0(%arg0: i32):
  %0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
  %1 = "t.add"(%0#0, %0#1) : (i32, i32) -> i32
  "func.return"(%1) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i32) -> i32, sym_name = "other"}> ({
^bb0(%arg0: i32):
  %0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
  %1 = "t.add"(%0#0, %0#1) : (i32, i32) -> i32
  "func.return"(%1) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "two"}> ({
^bb0(%arg0: i32, %arg1: i32):
  %0:2 = "t.once"(%arg1) ({
  ^bb0(%arg2: i32):
    %1 = "t.neg"(%arg2) {s = "%arg1"} : (i32) -> i32
    "t.yield"(%1, %arg0) : (i32, i32) -> ()
  }) : (i32) -> (i32, i32)
  "func.return"(%0#1, %arg0) : (i32, i32) -> ()
}) : () -> ()
//// at 0 of 2: a function with another call stays
...
  %s0:2 = "t.once"(%arg0) ({
  ^bb0(%s1: i32):
    %s2 = "t.neg"(%s1) {s = "%arg1"} : (i32) -> i32
    "t.yield"(%s2, %arg0) : (i32, i32) -> ()
  }) : (i32) -> (i32, i32)
  %1 = "t.add"(%s0#1, %arg0) : (i32, i32) -> i32
...
////
"func.func"() <{function_type = (i32) -> i32, sym_name = "top"}> ({
^bb0(%arg0: i32):
  %0 = "func.call"(%arg0) <{callee = @main}> : (i32) -> i32
  "func.return"(%0) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
^bb0(%arg0: i32):
  %0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
  %1 = "t.add"(%0#0, %0#1) : (i32, i32) -> i32
  "func.return"(%1) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "two"}> ({
^bb0(%arg0: i32, %arg1: i32):
  %0:2 = "t.once"(%arg1) ({
  ^bb0(%arg2: i32):
    %1 = "t.neg"(%arg2) {s = "%arg1"} : (i32) -> i32
    "t.yield"(%1, %arg0) : (i32, i32) -> ()
  }) : (i32) -> (i32, i32)
  "func.return"(%0#1, %arg0) : (i32, i32) -> ()
}) : () -> ()
//// at all of 2: a caller that is inlined itself waits
...
- %0 = "func.call"(%arg0) <{callee = @main}> : (i32) -> i32
- "func.return"(%0) : (i32) -> ()
- }) : () -> ()
- "func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
- ^bb0(%arg0: i32):
- %0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
- %1 = "t.add"(%0#0, %0#1) : (i32, i32) -> i32
- "func.return"(%1) : (i32) -> ()
  %s0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
  %s1 = "t.add"(%s0#0, %s0#1) : (i32, i32) -> i32
  "func.return"(%s1) : (i32) -> ()
...
////
"func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
^bb0(%arg0: i32):
  %0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
  %1 = "t.add"(%0#0, %0#1) : (i32, i32) -> i32
  "func.return"(%1) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i64, i64) -> (i64, i64), sym_name = "two"}> ({
^bb0(%arg0: i64, %arg1: i64):
  %0:2 = "t.once"(%arg1) ({
  ^bb0(%arg2: i64):
    %1 = "t.neg"(%arg2) {s = "%arg1"} : (i64) -> i64
    "t.yield"(%1, %arg0) : (i64, i64) -> ()
  }) : (i64) -> (i64, i64)
  "func.return"(%0#1, %arg0) : (i64, i64) -> ()
}) : () -> ()
//// at all of 0: other types and recursion are not inlined
////
"func.func"() <{function_type = (i32, i32) -> i32, sym_name = "two"}> ({
^bb0(%arg0: i32):
  %0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
  %1 = "t.add"(%0#0, %0#1) : (i32, i32) -> i32
  "func.return"(%1) : (i32) -> ()
}) : () -> ()
//// at all of 0: other types and recursion are not inlined
