////
^bb0(%arg0: index, %arg1: f32):
%0 = "scf.for"(%arg0, %arg1) ({
^bb0(%arg2: index, %arg3: f32):
  %1 = "t.load"(%arg2) : (index) -> f32
  %2 = "t.add"(%arg3, %1) : (f32, f32) -> f32
  "scf.yield"(%2) : (f32) -> ()
}) : (index, f32) -> f32
"func.return"(%0) : (f32) -> ()
//// at all of 1: a loop is replaced by one iteration
^bb0(%arg0: index, %arg1: f32):
  %s0 = "t.load"(%arg0) : (index) -> f32
  %s1 = "t.add"(%arg1, %s0) : (f32, f32) -> f32
"func.return"(%s1) : (f32) -> ()
////
^bb0(%arg0: index, %arg1: f32):
%0 = "scf.for"(%arg1) ({
^bb0(%arg2: index, %arg3: f32):
  %1 = "t.load"(%arg2) : (index) -> f32
  %2 = "t.add"(%arg3, %1) : (f32, f32) -> f32
  "scf.yield"(%2) : (f32) -> ()
}) : (f32) -> f32
"func.return"(%0) : (f32) -> ()
//// at all of 1: values without a matching operand become arguments
^bb0(%arg0: index, %arg1: f32, %s0: index):
  %s1 = "t.load"(%s0) : (index) -> f32
  %s2 = "t.add"(%arg1, %s1) : (f32, f32) -> f32
"func.return"(%s2) : (f32) -> ()
////
^bb0(%arg0: i1):
%0 = "scf.if"(%arg0) ({
  %1 = "t.then"() : () -> f32
  "scf.yield"(%1) : (f32) -> ()
}, {
  %1 = "t.else"() : () -> f32
  "scf.yield"(%1) : (f32) -> ()
}) : (i1) -> f32
"func.return"(%0) : (f32) -> ()
//// at 0 of 2: one branch or the other
^bb0(%arg0: i1):
  %s0 = "t.then"() : () -> f32
"func.return"(%s0) : (f32) -> ()
//// at 1 of 2: one branch or the other
^bb0(%arg0: i1):
  %s0 = "t.else"() : () -> f32
"func.return"(%s0) : (f32) -> ()
////
^bb0(%arg0: index, %arg1: f32):
%0 = "scf.for"(%arg0, %arg1) ({
^bb0(%arg2: index, %arg3: f32):
  %1 = "t.load"(%arg2) : (index) -> f32
  %2 = "t.add"(%arg3, %1) : (f32, f32) -> f32
  "scf.yield"(%2) : (f32) -> ()
}) : (index, f32) -> i32
"func.return"(%0) : (f32) -> ()
//// at all of 0: a body with other result types stays
////
^bb0(%arg0: f32):
%0 = "t.once"(%arg0) ({
^bb0(%arg1: f32):
  %1 = "t.exp"(%arg1) : (f32) -> f32
  "t.yield"(%1) : (f32) -> ()
}) : (f32) -> f32
%2 = "t.once"(%0) ({
^bb0(%arg1: f32):
  %1 = "t.neg"(%arg1) : (f32) -> f32
  "t.yield"(%1) : (f32) -> ()
}) : (f32) -> f32
"func.return"(%2) : (f32) -> ()
//// at all of 2: consecutive bodies
^bb0(%arg0: f32):
  %s0 = "t.exp"(%arg0) : (f32) -> f32
  %s1 = "t.neg"(%s0) : (f32) -> f32
"func.return"(%s1) : (f32) -> ()
////
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  %0 = "t.bound"() : () -> index
  "scf.for"(%0) ({
  ^bb0(%1: index):
    "t.use"(%1) : (index) -> ()
    "scf.yield"() : () -> ()
  }) : (index) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "g"}> ({
  "func.call"() {callee = @f} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 1: a loop in a called function whose bounds take the place of its counter
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  %0 = "t.bound"() : () -> index
    "t.use"(%0) : (index) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "g"}> ({
  "func.call"() {callee = @f} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
////
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  %0 = "t.bound"() : () -> index
  "scf.for"(%0) ({
  ^bb0(%1: i32):
    "t.use"(%1) : (i32) -> ()
    "scf.yield"() : () -> ()
  }) : (index) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "g"}> ({
  "func.call"() {callee = @f} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 0: a loop in a called function whose bounds take the place of its counter
////
^bb0(%arg0: index):
"t.concurrent"() ({
  "t.loop"(%arg0) ({
  ^bb0(%0: index):
    "t.use"(%0) : (index) -> ()
    %1 = "t.sum"() : () -> f32
  }) : (index) -> ()
}) : () -> ()
//// at 0 of 2: a body without a terminator
^bb0(%arg0: index):
- "t.concurrent"() ({
...
- }) : () -> ()
//// at 1 of 2: a body without a terminator
^bb0(%arg0: index):
"t.concurrent"() ({
    "t.use"(%arg0) : (index) -> ()
    %s0 = "t.sum"() : () -> f32
}) : () -> ()
////
^bb0(%arg0: index, %arg1: f32):
%0 = "scf.parallel"(%arg0, %arg1) ({
^bb0(%1: index):
  %2 = "t.load"(%1) : (index) -> f32
  "scf.reduce"(%2) ({
  ^bb0(%3: f32, %4: f32):
    "scf.reduce.return"(%3) : (f32) -> ()
  }) : (f32) -> ()
}) : (index, f32) -> f32
"t.each"(%arg0) ({
^bb0(%5: index):
  "t.store"(%5) : (index) -> ()
  "t.last"() ({
    "t.end"() : () -> ()
  }) : () -> ()
}) : (index) -> ()
"func.return"(%0) : (f32) -> ()
//// at all of 3: the terminator of a body may have regions
^bb0(%arg0: index, %arg1: f32):
  %s0 = "t.load"(%arg0) : (index) -> f32
  "t.store"(%arg0) : (index) -> ()
"func.return"(%s0) : (f32) -> ()
//// at 1 of 3: the terminator of a body may have regions
...
- "t.each"(%arg0) ({
- ^bb0(%5: index):
- "t.store"(%5) : (index) -> ()
  "t.store"(%arg0) : (index) -> ()
...
- }) : (index) -> ()
"func.return"(%0) : (f32) -> ()
