////
^bb0(%arg0: tensor<4xf32>):
%0 = "linalg.generic"(%arg0) ({
^bb0(%arg1: f32):
  %1 = "t.exp"(%arg1) : (f32) -> f64
  %2 = "t.truncf"(%1) : (f64) -> f32
  "linalg.yield"(%2) : (f32) -> ()
}) : (tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
//// at 0 of 2: a function argument replaces the result
^bb0(%arg0: tensor<4xf32>, %s0: f64):
%0 = "linalg.generic"(%arg0) ({
^bb0(%arg1: f32):
  %2 = "t.truncf"(%s0) : (f64) -> f32
  "linalg.yield"(%2) : (f32) -> ()
}) : (tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
////
"t.body"() ({
  "t.yield"() : () -> ()
}) : () -> ()
"t.body"() ({
  "t.inner"() : () -> ()
  %1 = "t.value"() : () -> i32
}) : () -> ()
"t.body"() ({
  "t.inner"() : () -> ()
}) : () -> ()
"t.body"() ({
  "t.yield"() : () -> ()
}) : () -> ()
//// at all of 4: the last op of a body need not be its terminator
...
- "t.inner"() : () -> ()
- %1 = "t.value"() : () -> i32
^bb0:
...
^bb0:
...
////
"builtin.module"() ({

            "t.dialect"() ({
              "t.type"() ({
                %0 = "t.any"() : () -> i32
                "t.parameters"(%0) : (i32) -> ()
              }) {sym_name = "a"} : () -> ()
              "t.type"() ({
                %0 = "t.any"() : () -> i32
                "t.parameters"(%0) : (i32) -> ()
              }) {sym_name = "b"} : () -> ()
            }) {sym_name = "d"} : () -> ()
            }) : () -> ()
//// at all of 2: the last op of what needs no terminator
...
- "t.parameters"(%0) : (i32) -> ()
...
////
"builtin.module"() ({

            "t.f"() ({
            ^bb0(%a: i32):
              "t.x"(%a) : (i32) -> ()
              "t.y"(%a) : (i32) -> ()
            }) {function_type = (i32) -> (), sym_name = "f"} : () -> ()
            }) : () -> ()
//// at all of 1: the last op of what needs no terminator
...
- "t.y"(%a) : (i32) -> ()
...
////
"builtin.module"() ({

            "t.f"() ({
              %0 = "t.x"() : () -> i32
              "t.y"(%0) : (i32) -> ()
            }) {function_type = () -> i32, sym_name = "f"} : () -> ()
            "t.g"() ({
              "t.x"() : () -> ()
              "t.Return"() : () -> ()
            }) {function_type = () -> (), sym_name = "g"} : () -> ()
            "t.h"() ({
              "t.br"()[^bb1] : () -> ()
            ^bb1:
              "t.end"() : () -> ()
            }) {function_type = () -> (), sym_name = "h"} : () -> ()
            }) : () -> ()
//// at all of 0: the last op of what needs no terminator
////
"t.body"() ({
  "t.inner"() : () -> ()
  "t.yield"() : () -> ()
}) : () -> ()
"t.body"() ({
  "t.end"() : () -> ()
}) : () -> ()
//// at all of 3: what may be a terminator is deleted alone
"t.body"() ({
- "t.inner"() : () -> ()
...
//// at 0, 1 of 3: what may be a terminator is deleted alone
"t.body"() ({
- "t.inner"() : () -> ()
...
//// at 1 of 3: what may be a terminator is deleted alone
...
- "t.yield"() : () -> ()
...
//// at 2 of 3: what may be a terminator is deleted alone
...
^bb0:
}) : () -> ()
//// at 1, 2 of 3: what may be a terminator is deleted alone
...
- "t.yield"() : () -> ()
...
////
%0 = "t.if"() ({
  %1 = "t.value"() : () -> i32
  "t.yield"(%1) : (i32) -> ()
}) : () -> i32
"t.for"() ({
  "t.yield"() : () -> ()
}) : () -> ()
"t.for"() ({
  "t.other"() : () -> ()
}) : () -> ()
//// at all of 2: what ends the body of an op with results is a terminator
^bb0(%s0: i32):
%0 = "t.if"() ({
- %1 = "t.value"() : () -> i32
- "t.yield"(%1) : (i32) -> ()
  "t.yield"(%s0) : (i32) -> ()
...
////
"t.region"() ({
  "t.branch"()[^bb1] : () -> ()
^bb1:
  "t.return"() : () -> ()
}) : () -> ()
//// at all of 1: a branch ends its block
"t.region"() ({
  "t.branch"()[^bb1] : () -> ()
^bb1:
}) : () -> ()
