////
^bb0(%arg0: tensor<4xf32>):
%0 = "t.a"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
%1 = "t.b"(%0) : (tensor<4xf32>) -> tensor<4xf32>
%2 = "t.c"(%1) : (tensor<4xf32>) -> tensor<4xf32>
"func.return"(%2) : (tensor<4xf32>) -> ()
//// at 0, 2 of 3: the middle of a chain
^bb0(%s0: tensor<4xf32>):
%1 = "t.b"(%s0) : (tensor<4xf32>) -> tensor<4xf32>
"func.return"(%1) : (tensor<4xf32>) -> ()
////
"t.global"() <{sym_name = "g0"}> : () -> ()
"func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f"}> ({
^bb0(%arg0: tensor<4xf32>):
  %0 = "t.a"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "t.b"(%0) {of = @g0} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "t.c"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  "func.return"(%2) : (tensor<4xf32>) -> ()
}) : () -> ()
//// at 2 of 3: a symbol stays while an op that stays refers to it
...
- %2 = "t.c"(%1) : (tensor<4xf32>) -> tensor<4xf32>
- "func.return"(%2) : (tensor<4xf32>) -> ()
  "func.return"(%1) : (tensor<4xf32>) -> ()
}) : () -> ()
//// at 1 of 3: a symbol stays while an op that stays refers to it
^bb0(%arg0: tensor<4xf32>, %s0: tensor<4xf32>):
%0 = "t.a"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
%2 = "t.c"(%s0) : (tensor<4xf32>) -> tensor<4xf32>
"func.return"(%2, %0) : (tensor<4xf32>, tensor<4xf32>) -> ()
////
^bb0(%arg0: tensor<4xf32>):
%0:2 = "t.topk"(%arg0) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
%1 = "t.use"(%0#1) : (tensor<2xi64>) -> tensor<2xi64>
"func.return"(%1) : (tensor<2xi64>) -> ()
//// at 1 of 2: an unused result stays unused
^bb0(%arg0: tensor<4xf32>):
%0:2 = "t.topk"(%arg0) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
"func.return"(%0#1) : (tensor<2xi64>) -> ()
////
%0 = "t.int"() : () -> !t.int
%1 = "t.int"() : () -> !t.int
"t.use"(%1) : (!t.int) -> ()
//// at all of 2: an op can go if nothing uses the result that may not cross
"func.return"() : () -> ()
////
%0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
%1 = "t.a"(%0) : (i32) -> i32
"func.return"(%1) : (i32) -> ()
//// at 0 of 2: a deleted constant becomes an argument where its type allows
^bb0(%s0: i32):
%1 = "t.a"(%s0) : (i32) -> i32
"func.return"(%1) : (i32) -> ()
////
%0 = "t.make"() : () -> tensor<4xf32>
%1 = "t.loop"() ({
  "t.yield"(%0) : (tensor<4xf32>) -> ()
}) : () -> tensor<4xf32>
"func.return"(%1) : (tensor<4xf32>) -> ()
//// at 0 of 2: a region that uses outer values gets them as arguments
^bb0(%s0: tensor<4xf32>):
%1 = "t.loop"() ({
  "t.yield"(%s0) : (tensor<4xf32>) -> ()
}) : () -> tensor<4xf32>
"func.return"(%1) : (tensor<4xf32>) -> ()
////
"t.global"() <{sym_name = "g"}> : () -> ()
"func.func"() <{function_type = () -> i32, sym_name = "main"}> ({
  %0 = "t.load"() {global = @g} : () -> i32
  %1 = "t.call"() {callee = @callee} : () -> i32
  %2 = "t.add"(%0, %1) : (i32, i32) -> i32
  "func.return"(%2) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = () -> i32, sym_name = "callee", sym_visibility = "private"}> ({
  %0 = "t.one"() : () -> i32
  "func.return"(%0) : (i32) -> ()
}) : () -> ()
//// at 0 of 4: globals are removed with their last user and callees stay whole
- "t.global"() <{sym_name = "g"}> : () -> ()
- "func.func"() <{function_type = () -> i32, sym_name = "main"}> ({
- %0 = "t.load"() {global = @g} : () -> i32
"func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
^bb0(%s0: i32):
  %1 = "t.call"() {callee = @callee} : () -> i32
  %2 = "t.add"(%s0, %1) : (i32, i32) -> i32
...
//// at 1, 3 of 4: globals are removed with their last user and callees stay whole
"t.global"() <{sym_name = "g"}> : () -> ()
"func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
^bb0(%s0: i32):
  %0 = "t.load"() {global = @g} : () -> i32
  %2 = "t.add"(%0, %s0) : (i32, i32) -> i32
  "func.return"(%2) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "callee"}> ({
  "func.return"() : () -> ()
}) : () -> ()
////
%0 = "t.make"() : () -> tensor<4xf32>
"cf.br"(%0)[^bb1] : (tensor<4xf32>) -> ()
^bb1(%1: tensor<4xf32>):  // pred: ^bb0
"func.return"(%1) : (tensor<4xf32>) -> ()
//// at all of 1: operands of branches are kept
^bb0(%s0: tensor<4xf32>):
"cf.br"(%s0)[^bb1] : (tensor<4xf32>) -> ()
^bb1(%1: tensor<4xf32>):  // pred: ^bb0
"func.return"(%1) : (tensor<4xf32>) -> ()
////
"func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f", sym_visibility = "private"}> ({
^bb0(%arg0: tensor<4xf32>):
  %0 = "t.a"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "t.b"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "t.c"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  "func.return"(%2) : (tensor<4xf32>) -> ()
}) : () -> ()
//// at 0 of 3: a private function without callers stays private
"func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f", sym_visibility = "private"}> ({
^bb0(%s0: tensor<4xf32>):
  %1 = "t.b"(%s0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "t.c"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  "func.return"(%2) : (tensor<4xf32>) -> ()
}) : () -> ()
