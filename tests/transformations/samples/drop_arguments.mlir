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
//// at all of 1: an unused argument
...
  %0:2 = "func.call"(%arg1) <{callee = @g}> : (f32) -> (i32, f32)
...
"func.func"() <{function_type = (f32) -> (i32, f32), sym_name = "g"}> ({
^bb0(%arg1: f32):
...
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
//// at all of 0: a function that is also passed on keeps its type
////
"func.func"() <{function_type = (index, i32, f32) -> (), sym_name = "main"}> ({
^bb0(%arg0: index, %arg1: i32, %arg2: f32):
  "gpu.launch_func"(%arg0, %arg1, %arg2) {kernel = @k::@g} : (index, i32, f32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"gpu.module"() <{sym_name = "k"}> ({
  "gpu.func"() <{function_type = (i32, f32) -> ()}> ({
  ^bb0(%arg0: i32, %arg1: f32):
    "t.use"(%arg1) : (f32) -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "g"} : () -> ()
}) : () -> ()
//// at all of 1: an unused argument of a kernel goes with the operand of its launch
...
  "gpu.launch_func"(%arg0, %arg2) {kernel = @k::@g} : (index, f32) -> ()
...
  "gpu.func"() <{function_type = (f32) -> ()}> ({
  ^bb0(%arg1: f32):
...
////
^bb0(%arg0: i32, %arg1: f32):
%0 = "t.a"(%arg1) : (f32) -> f32
%1 = "t.b"() : () -> i32
"func.return"(%0, %1) : (f32, i32) -> ()
//// at all of 1: unused arguments
^bb0(%arg1: f32):
...
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
//// at all of 1: arguments of an exported function may be dropped
"func.func"() <{function_type = (f32) -> (f32, i32), sym_name = "f"}> ({
^bb0(%arg1: f32):
...
