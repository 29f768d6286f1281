////
^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
%0 = "linalg.generic"(%arg0, %arg1) ({
^bb0(%arg2: f32, %arg3: f32):
  %1 = "arith.mulf"(%arg2, %arg2) : (f32, f32) -> f32
  %2 = "arith.addf"(%arg3, %1) : (f32, f32) -> f32
  "linalg.yield"(%2) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
//// at 0 of 2: a body yields its input and its computation is removed
^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
%0 = "linalg.generic"(%arg0, %arg1) ({
^bb0(%arg2: f32, %arg3: f32):
  "linalg.yield"(%arg2) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
//// at 1 of 2: a body yields its output
^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
%0 = "linalg.generic"(%arg0, %arg1) ({
^bb0(%arg2: f32, %arg3: f32):
  "linalg.yield"(%arg3) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
//// at all of 2: the first of two choices wins
^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
%0 = "linalg.generic"(%arg0, %arg1) ({
^bb0(%arg2: f32, %arg3: f32):
  "linalg.yield"(%arg2) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
////
^bb0(%arg0: i1, %arg1: f32):
%0 = "scf.if"(%arg0) ({
  %1 = "t.then"() : () -> f32
  "scf.yield"(%1) : (f32) -> ()
}, {
  "scf.yield"(%arg1) : (f32) -> ()
}) : (i1) -> f32
"func.return"(%0) : (f32) -> ()
//// at all of 1: a branch yields an argument of the function
...
- %1 = "t.then"() : () -> f32
- "scf.yield"(%1) : (f32) -> ()
  "scf.yield"(%arg1) : (f32) -> ()
...
////
^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
%0 = "linalg.generic"(%arg0, %arg1) ({
^bb0(%arg2: f32, %arg3: f32):
  %1 = "arith.mulf"(%arg2, %arg2) : (f32, f32) -> f32
  %2 = "arith.addf"(%arg3, %1) : (f32, f32) -> f32
  "t.use"(%1) : (f32) -> ()
  "linalg.yield"(%2) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
//// at 0 of 2: ops with other users stay
...
- %2 = "arith.addf"(%arg3, %1) : (f32, f32) -> f32
  "t.use"(%1) : (f32) -> ()
  "linalg.yield"(%arg2) : (f32) -> ()
...
////
^bb0(%arg0: f32):
%0 = "t.neg"(%arg0) : (f32) -> f32
"func.return"(%0) : (f32) -> ()
//// at all of 0: only called functions return their arguments
////
"func.func"() <{function_type = (f32) -> f32, sym_name = "f"}> ({
^bb0(%arg0: f32):
  %0 = "t.neg"(%arg0) : (f32) -> f32
  "func.return"(%0) : (f32) -> ()
}) : () -> ()
"t.use"() {callee = @f} : () -> ()
//// at all of 1: only called functions return their arguments
"func.func"() <{function_type = (f32) -> f32, sym_name = "f"}> ({
^bb0(%arg0: f32):
  "func.return"(%arg0) : (f32) -> ()
}) : () -> ()
"t.use"() {callee = @f} : () -> ()
