////
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
%0:2 = "scf.for"(%arg0, %arg0, %arg0, %arg1, %arg2) ({
^bb0(%arg3: index, %arg4: f32, %arg5: i32):
  %1 = "t.a"(%arg4, %arg5) : (f32, i32) -> f32
  "scf.yield"(%1, %arg5) : (f32, i32) -> ()
}) : (index, index, index, f32, i32) -> (f32, i32)
"func.return"(%0#0, %0#1) : (f32, i32) -> ()
//// at 1 of 2: users take the initial value
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
%s0 = "scf.for"(%arg0, %arg0, %arg0, %arg1) ({
^bb0(%arg3: index, %arg4: f32):
  %1 = "t.a"(%arg4, %arg2) : (f32, i32) -> f32
  "scf.yield"(%1) : (f32) -> ()
}) : (index, index, index, f32) -> f32
"func.return"(%s0, %arg2) : (f32, i32) -> ()
//// at all of 2: all loop carried values
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
"scf.for"(%arg0, %arg0, %arg0) ({
^bb0(%arg3: index):
  %1 = "t.a"(%arg1, %arg2) : (f32, i32) -> f32
  "scf.yield"() : () -> ()
}) : (index, index, index) -> ()
"func.return"(%arg1, %arg2) : (f32, i32) -> ()
////
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
%0:2 = "scf.parallel"(%arg0, %arg1, %arg2) ({
^bb0(%arg3: index):
  "scf.reduce"(%arg1) ({
  ^bb0(%arg4: f32, %arg5: f32):
    "scf.reduce.return"(%arg5) : (f32) -> ()
  }) : (f32) -> ()
  "scf.reduce"(%arg2) ({
  ^bb0(%arg4: i32, %arg5: i32):
    "scf.reduce.return"(%arg4) : (i32) -> ()
  }) : (i32) -> ()
  "scf.yield"() : () -> ()
}) : (index, f32, i32) -> (f32, i32)
"func.return"(%0#0, %0#1) : (f32, i32) -> ()
//// at 0 of 2: a value goes with the op that combines it
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
%s0 = "scf.parallel"(%arg0, %arg2) ({
^bb0(%arg3: index):
  "scf.reduce"(%arg2) ({
  ^bb0(%arg4: i32, %arg5: i32):
    "scf.reduce.return"(%arg4) : (i32) -> ()
  }) : (i32) -> ()
  "scf.yield"() : () -> ()
}) : (index, i32) -> i32
"func.return"(%arg1, %s0) : (f32, i32) -> ()
////
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
%0:2 = "scf.parallel"(%arg0, %arg1, %arg2) ({
^bb0(%arg3: index):
  "scf.reduce"(%arg1) ({
  ^bb0(%arg4: f32, %arg5: f64):
    "scf.reduce.return"(%arg5) : (f32) -> ()
  }) : (f32) -> ()
  "scf.reduce"(%arg2) ({
  ^bb0(%arg4: i32, %arg5: i32):
    "scf.reduce.return"(%arg4) : (i32) -> ()
  }) : (i32) -> ()
  "scf.yield"() : () -> ()
}) : (index, f32, i32) -> (f32, i32)
"func.return"(%0#0, %0#1) : (f32, i32) -> ()
//// at all of 0: a value goes with the op that combines it
////
^bb0(%arg0: i32):
%0 = "scf.while"(%arg0) ({
^bb0(%arg1: i32):
  %1 = "t.more"(%arg1) : (i32) -> i1
  "scf.condition"(%1, %arg1) : (i1, i32) -> ()
}, {
^bb0(%arg1: i32):
  %1 = "t.next"(%arg1) : (i32) -> i32
  "scf.yield"(%1) : (i32) -> ()
}) : (i32) -> i32
"func.return"(%0) : (i32) -> ()
//// at all of 1: a while loop
^bb0(%arg0: i32):
"scf.while"() ({
^bb0:
  %1 = "t.more"(%arg0) : (i32) -> i1
  "scf.condition"(%1) : (i1) -> ()
}, {
^bb0:
  %1 = "t.next"(%arg0) : (i32) -> i32
  "scf.yield"() : () -> ()
}) : () -> ()
"func.return"(%arg0) : (i32) -> ()
////
^bb0(%arg0: i32, %arg1: f32):
%0:2 = "t.while"(%arg0, %arg1) ({
^bb0(%arg2: i32, %arg3: f32):
  %1 = "t.more"(%arg2) : (i32) -> i1
  "t.return"(%1) : (i1) -> ()
}, {
^bb0(%arg2: i32, %arg3: f32):
  %1 = "t.next"(%arg2, %arg3) : (i32, f32) -> i32
  "t.return"(%1, %arg3) : (i32, f32) -> ()
}) : (i32, f32) -> (i32, f32)
"func.return"(%0#0, %0#1) : (i32, f32) -> ()
//// at 1 of 2: a while loop whose condition passes nothing on
^bb0(%arg0: i32, %arg1: f32):
%s0 = "t.while"(%arg0) ({
^bb0(%arg2: i32):
...
^bb0(%arg2: i32):
  %1 = "t.next"(%arg2, %arg1) : (i32, f32) -> i32
  "t.return"(%1) : (i32) -> ()
}) : (i32) -> i32
"func.return"(%s0, %arg1) : (i32, f32) -> ()
////
^bb0(%arg0: i64, %arg1: f32):
%0 = "t.loop"(%arg0, %arg1) ({
^bb0(%arg2: i64, %arg3: f32):
  %1:2 = "t.next"(%arg2, %arg3) : (i64, f32) -> (i1, f32)
  "t.condition"(%1#0, %1#1) : (i1, f32) -> ()
}) : (i64, f32) -> f32
"func.return"(%0) : (f32) -> ()
//// at all of 1: a loop that yields a condition too
^bb0(%arg0: i64, %arg1: f32):
"t.loop"(%arg0) ({
^bb0(%arg2: i64):
  %1:2 = "t.next"(%arg2, %arg1) : (i64, f32) -> (i1, f32)
  "t.condition"(%1#0) : (i1) -> ()
}) : (i64) -> ()
"func.return"(%arg1) : (f32) -> ()
////
^bb0(%arg0: i1):
%0 = "t.either"(%arg0) ({
^bb0(%arg1: i1):
  "t.yield"(%arg1) : (i1) -> ()
}, {
^bb0(%arg1: i1):
  "t.yield"(%arg1) : (i1) -> ()
}) : (i1) -> i1
"func.return"(%0) : (i1) -> ()
//// at all of 1: a first body that yields the value itself is no condition
^bb0(%arg0: i1):
"t.either"() ({
^bb0:
  "t.yield"() : () -> ()
}, {
^bb0:
  "t.yield"() : () -> ()
}) : () -> ()
"func.return"(%arg0) : (i1) -> ()
////
^bb0(%arg0: index, %arg1: tensor<4xf32>):
%0 = "scf.forall"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 0, 1, 0, 1>}> ({
^bb0(%arg2: index, %arg3: tensor<4xf32>):
  "scf.forall.in_parallel"() ({
    "tensor.parallel_insert_slice"(%arg1, %arg3) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : () -> ()
}) : (index, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
//// at all of 1: a parallel loop and a segment size
^bb0(%arg0: index, %arg1: tensor<4xf32>):
"scf.forall"(%arg0) <{operandSegmentSizes = array<i32: 0, 1, 0, 0>}> ({
^bb0(%arg2: index):
  "scf.forall.in_parallel"() ({
^bb0:
  }) : () -> ()
}) : (index) -> ()
"func.return"(%arg1) : (tensor<4xf32>) -> ()
////
^bb0(%arg0: f32):
%0 = "scf.for"(%arg0) ({
^bb0(%arg1: f32):
  %1 = "scf.for"(%arg1) ({
  ^bb0(%arg2: f32):
    %2 = "t.a"(%arg2) : (f32) -> f32
    "scf.yield"(%2) : (f32) -> ()
  }) : (f32) -> f32
  "scf.yield"(%1) : (f32) -> ()
}) : (f32) -> f32
"func.return"(%0) : (f32) -> ()
//// at all of 2: nested loops
^bb0(%arg0: f32):
"scf.for"() ({
^bb0:
  "scf.for"() ({
  ^bb0:
    %2 = "t.a"(%arg0) : (f32) -> f32
    "scf.yield"() : () -> ()
  }) : () -> ()
  "scf.yield"() : () -> ()
}) : () -> ()
"func.return"(%arg0) : (f32) -> ()
////
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
%0:2 = "scf.for"(%arg0, %arg0, %arg0, %arg1, %arg2) ({
^bb0(%arg3: index, %arg4: f32, %arg5: i32):
  %1 = "t.a"(%arg4, %arg5) : (f32, i32) -> f32
  "scf.yield"(%1) : (f32) -> ()
}) : (index, index, index, f32, i32) -> (f32, i32)
"func.return"(%0#0, %0#1) : (f32, i32) -> ()
//// at all of 0: other bodies carry nothing
////
^bb0(%arg0: i32):
%0:2 = "t.loop"(%arg0, %arg0) ({
^bb0(%arg1: i32, %arg2: i32):
  "t.yield"(%arg1, %arg2) : (i32, i32) -> ()
}) : (i32, i32) -> (i32, i32)
%1 = "t.loop"(%0#1) ({
^bb0(%arg1: i32):
  "t.yield"(%arg1) : (i32) -> ()
}) : (i32) -> i32
"func.return"(%1) : (i32) -> ()
//// at 0, 2 of 3: a result that gets a new name takes a place
^bb0(%arg0: i32):
%s0 = "t.loop"(%arg0) ({
^bb0(%arg2: i32):
  "t.yield"(%arg2) : (i32) -> ()
}) : (i32) -> i32
"t.loop"() ({
^bb0:
  "t.yield"() : () -> ()
}) : () -> ()
"func.return"(%s0) : (i32) -> ()
//// at all of 3: a result that gets a new name takes a place
^bb0(%arg0: i32):
"t.loop"() ({
^bb0:
  "t.yield"() : () -> ()
}) : () -> ()
"t.loop"() ({
^bb0:
  "t.yield"() : () -> ()
}) : () -> ()
"func.return"(%arg0) : (i32) -> ()
////
^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %c: tensor<4xf32>, %d: tensor<4xi32>):
%0:2 = "linalg.reduce"(%a, %b, %c, %d) <{dimensions = array<i64: 1>}> ({
^bb0(%e: f32, %f: i32, %g: f32, %h: i32):
  %1 = "arith.addf"(%e, %g) : (f32, f32) -> f32
  %2 = "arith.addi"(%f, %h) : (i32, i32) -> i32
  "linalg.yield"(%1, %2) : (f32, i32) -> ()
}) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
"func.return"(%0#0) : (tensor<4xf32>) -> ()
//// at 1 of 2: one of two reductions, with both of its operands and what it computes
^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %c: tensor<4xf32>, %d: tensor<4xi32>):
%s0 = "linalg.reduce"(%a, %c) <{dimensions = array<i64: 1>}> ({
^bb0(%e: f32, %g: f32):
  %1 = "arith.addf"(%e, %g) : (f32, f32) -> f32
  "linalg.yield"(%1) : (f32) -> ()
}) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%s0) : (tensor<4xf32>) -> ()
////
^bb0(%a: tensor<4xf32>, %b: tensor<4xi32>):
%0:2 = "stablehlo.sort"(%a, %b) ({
^bb0(%c: tensor<f32>, %d: tensor<f32>, %e: tensor<i32>, %f: tensor<i32>):
  %1 = "stablehlo.compare"(%c, %d) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "stablehlo.return"(%1) : (tensor<i1>) -> ()
}) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
"func.return"(%0#0) : (tensor<4xf32>) -> ()
//// at all of 1: what compares values takes two of a kind at a time
^bb0(%a: tensor<4xf32>, %b: tensor<4xi32>):
%s0 = "stablehlo.sort"(%a) ({
^bb0(%c: tensor<f32>, %d: tensor<f32>):
  %1 = "stablehlo.compare"(%c, %d) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "stablehlo.return"(%1) : (tensor<i1>) -> ()
}) : (tensor<4xf32>) -> tensor<4xf32>
"func.return"(%s0) : (tensor<4xf32>) -> ()
////
^bb0(%n: index, %a: f32, %b: i32):
%0:2 = "scf.parallel"(%n, %n, %n, %a, %b) <{operandSegmentSizes = array<i32: 1, 1, 1, 2>}> ({
^bb0(%i: index):
  "scf.reduce"(%a, %b) ({
  ^bb0(%c: f32, %d: f32):
    "scf.reduce.return"(%c) : (f32) -> ()
  }, {
  ^bb0(%c: i32, %d: i32):
    "scf.reduce.return"(%d) : (i32) -> ()
  }) : (f32, i32) -> ()
}) : (index, index, index, f32, i32) -> (f32, i32)
"func.return"(%0#0) : (f32) -> ()
//// at all of 1: a region of the last op combines values
^bb0(%n: index, %a: f32, %b: i32):
%s0 = "scf.parallel"(%n, %n, %n, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
^bb0(%i: index):
  "scf.reduce"(%a) ({
  ^bb0(%c: f32, %d: f32):
    "scf.reduce.return"(%c) : (f32) -> ()
  }) : (f32) -> ()
}) : (index, index, index, f32) -> f32
"func.return"(%s0) : (f32) -> ()
////
^bb0(%a: i32, %b: i64):
%0:2 = "scf.while"(%a, %b) ({
^bb0(%c: i32, %d: i64):
  %1 = "t.more"(%c, %d) : (i32, i64) -> i1
  "scf.condition"(%1, %c, %a) : (i1, i32, i32) -> ()
}, {
^bb0(%c: i32, %d: i32):
  %1 = "t.next"(%c) : (i32) -> i64
  "scf.yield"(%c, %1) : (i32, i64) -> ()
}) : (i32, i64) -> (i32, i32)
"func.return"(%0#0) : (i32) -> ()
//// at 1 of 3: a loop that gives other values than it takes, of which one goes that it takes
^bb0(%a: i32, %b: i64):
%0:2 = "scf.while"(%a) ({
^bb0(%c: i32):
  %1 = "t.more"(%c, %b) : (i32, i64) -> i1
...
  "scf.yield"(%c) : (i32) -> ()
}) : (i32) -> (i32, i32)
"func.return"(%0#0) : (i32) -> ()
//// at 2 of 3: and of which one goes that it gives
^bb0(%a: i32, %b: i64):
%s0 = "scf.while"(%a, %b) ({
...
  "scf.condition"(%1, %c) : (i1, i32) -> ()
}, {
^bb0(%c: i32):
...
}) : (i32, i64) -> i32
"func.return"(%s0) : (i32) -> ()
////
^bb0(%a: i1, %b: f32, %c: i64):
%0:2 = "scf.if"(%a) ({
  "scf.yield"(%b, %c) : (f32, i64) -> ()
}, {
  %1 = "t.else"(%b) : (f32) -> f32
  "scf.yield"(%1, %c) : (f32, i64) -> ()
}) : (i1) -> (f32, i64)
"func.return"(%0#0) : (f32) -> ()
//// at all of 1: an unused result of branches
^bb0(%a: i1, %b: f32, %c: i64):
%s0 = "scf.if"(%a) ({
  "scf.yield"(%b) : (f32) -> ()
}, {
  %1 = "t.else"(%b) : (f32) -> f32
  "scf.yield"(%1) : (f32) -> ()
}) : (i1) -> f32
"func.return"(%s0) : (f32) -> ()
////
^bb0(%n: index, %a: f32):
%0 = "scf.parallel"(%n, %n, %n, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
^bb0(%i: index):
  "scf.reduce"(%a) ({
  ^bb0(%c: f32, %d: f32):
    "scf.reduce.return"(%c) : (f32) -> ()
  }) : (f32) -> ()
}) : (index, index, index, f32) -> f32
//// at all of 1: no region is left
^bb0(%n: index, %a: f32):
"scf.parallel"(%n, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
^bb0(%i: index):
  "scf.reduce"() : () -> ()
}) : (index, index, index) -> ()
////
^bb0(%a: f32):
%0:2 = "affine.parallel"() <{reductions = [0, 1], steps = [1, 2, 1]}> ({
^bb0(%i: index, %j: index, %k: index):
  "affine.yield"(%a, %a) : (f32, f32) -> ()
}) : () -> (f32, f32)
//// at 0 of 2: with the kind of reduction
^bb0(%a: f32):
%s0 = "affine.parallel"() <{reductions = [1], steps = [1, 2, 1]}> ({
^bb0(%i: index, %j: index, %k: index):
  "affine.yield"(%a) : (f32) -> ()
}) : () -> f32
