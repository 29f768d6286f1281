////
^bb0(%arg0: f32, %arg1: i32, %arg2: f32, %arg3: f32):
%0 = "t.a"(%arg0, %arg1, %arg2, %arg3) : (f32, i32, f32, f32) -> f32
"func.return"(%0) : (f32) -> ()
//// at all of 2: all arguments of a type
^bb0(%arg0: f32, %arg1: i32):
%0 = "t.a"(%arg0, %arg1, %arg0, %arg0) : (f32, i32, f32, f32) -> f32
"func.return"(%0) : (f32) -> ()
//// at 0 of 2: a single argument
^bb0(%arg0: f32, %arg1: i32, %arg3: f32):
%0 = "t.a"(%arg0, %arg1, %arg0, %arg3) : (f32, i32, f32, f32) -> f32
"func.return"(%0) : (f32) -> ()
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
//// at all of 1: calls pass less
...
  %0:2 = "func.call"(%arg0) <{callee = @two}> : (i32) -> (i32, i32)
...
"func.func"() <{function_type = (i32) -> (i32, i32), sym_name = "two"}> ({
^bb0(%arg0: i32):
  %0:2 = "t.once"(%arg0) ({
...
