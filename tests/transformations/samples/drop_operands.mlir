////
^bb0(%arg0: i32):
%0 = "torch.prim.ListConstruct"(%arg0, %arg0) : (i32, i32) -> !t.list
"t.use"(%0, %arg0) : (!t.list, i32) -> ()
//// at 1 of 2: elements of lists
^bb0(%arg0: i32):
%0 = "torch.prim.ListConstruct"(%arg0) : (i32) -> !t.list
"t.use"(%0, %arg0) : (!t.list, i32) -> ()
//// at all of 2: one is left, whatever is asked for
^bb0(%arg0: i32):
%0 = "torch.prim.ListConstruct"(%arg0) : (i32) -> !t.list
"t.use"(%0, %arg0) : (!t.list, i32) -> ()
////
^bb0(%arg0: i32, %arg1: f32):
"t.op"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (i32, f32) -> ()
//// at 1 of 2: optional operands
^bb0(%arg0: i32, %arg1: f32):
"t.op"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
////
^bb0(%arg0: index, %arg1: f32):
%0 = "t.dispatch"(%arg0, %arg1, %arg1) <{operandSegmentSizes = array<i32: 1, 2>}> ({
^bb0(%arg2: !t.in, %arg3: !t.in, %arg4: !t.out):
  "t.use"(%arg3, %arg4) : (!t.in, !t.out) -> ()
  "t.return"() : () -> ()
}) : (index, f32, f32) -> f32
"func.return"(%0) : (f32) -> ()
//// at 1 of 2: operands of a dispatch and its body
^bb0(%arg0: index, %arg1: f32):
%0 = "t.dispatch"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg3: !t.in, %arg4: !t.out):
  "t.use"(%arg3, %arg4) : (!t.in, !t.out) -> ()
  "t.return"() : () -> ()
}) : (index, f32) -> f32
"func.return"(%0) : (f32) -> ()
////
^bb0(%arg0: f32, %arg1: index):
%0 = "t.pack"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>, static_inner_tiles = array<i64: 1, -9223372036854775808>}> : (f32, index) -> f32
//// at all of 0: operands that hold dynamic sizes stay
////
^bb0(%arg0: !t.ref, %arg1: !t.ref, %arg2: i32):
"omp.wsloop"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 1>, private_syms = [@p], reduction_byref = array<i1: false>, reduction_syms = [@r]}> ({
^bb0(%arg3: !t.ref, %arg4: !t.ref):
  "t.use"(%arg3) : (!t.ref) -> ()
  "omp.yield"() : () -> ()
}) : (!t.ref, !t.ref, i32) -> ()
//// at 3 of 5: an operand goes with its argument and its items
^bb0(%arg0: !t.ref, %arg1: !t.ref, %arg2: i32):
"omp.wsloop"(%arg0, %arg2) <{operandSegmentSizes = array<i32: 1, 0, 1>, private_syms = [@p]}> ({
^bb0(%arg3: !t.ref):
  "t.use"(%arg3) : (!t.ref) -> ()
  "omp.yield"() : () -> ()
}) : (!t.ref, i32) -> ()
//// at 1 of 5: the operand takes the place of its argument
^bb0(%arg0: !t.ref, %arg1: !t.ref, %arg2: i32):
"omp.wsloop"(%arg1, %arg2) <{operandSegmentSizes = array<i32: 0, 1, 1>, reduction_byref = array<i1: false>, reduction_syms = [@r]}> ({
^bb0(%arg4: !t.ref):
  "t.use"(%arg0) : (!t.ref) -> ()
  "omp.yield"() : () -> ()
}) : (!t.ref, i32) -> ()
//// at all of 5: the operand takes the place of its argument
^bb0(%arg0: !t.ref, %arg1: !t.ref, %arg2: i32):
"omp.wsloop"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> ({
^bb0:
  "t.use"(%arg0) : (!t.ref) -> ()
  "omp.yield"() : () -> ()
}) : () -> ()
////
^bb0(%arg0: !t.ref):
"omp.parallel"(%arg0) <{operandSegmentSizes = array<i32: 1>, private_syms = [@p]}> ({
^bb0(%0: !t.ref):
  "omp.wsloop"(%0) <{operandSegmentSizes = array<i32: 1>, private_syms = [@p]}> ({
  ^bb0(%1: !t.ref):
    "t.use"(%1) : (!t.ref) -> ()
    "omp.yield"() : () -> ()
  }) : (!t.ref) -> ()
  "omp.terminator"() : () -> ()
}) : (!t.ref) -> ()
//// at 1, 3 of 4: an operand of a nested op that is an argument itself
^bb0(%arg0: !t.ref):
"omp.parallel"() <{operandSegmentSizes = array<i32: 0>}> ({
^bb0:
  "omp.wsloop"() <{operandSegmentSizes = array<i32: 0>}> ({
  ^bb0:
    "t.use"(%arg0) : (!t.ref) -> ()
    "omp.yield"() : () -> ()
  }) : () -> ()
  "omp.terminator"() : () -> ()
}) : () -> ()
////
^bb0(%arg0: index, %arg1: index):
"scf.parallel"(%arg0, %arg1, %arg1, %arg0, %arg0, %arg0) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
^bb0(%0: index, %1: index):
  "t.use"(%0, %1) : (index, index) -> ()
  "scf.reduce"() : () -> ()
}) : (index, index, index, index, index, index) -> ()
//// at 1 of 2: what bounds an argument of a loop goes with it
^bb0(%arg0: index, %arg1: index):
"scf.parallel"(%arg0, %arg1, %arg0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
^bb0(%0: index):
  "t.use"(%0, %arg1) : (index, index) -> ()
  "scf.reduce"() : () -> ()
}) : (index, index, index) -> ()
////
^bb0(%t: !async.token, %v: !async.value<f32>):
%0 = "async.execute"(%t, %v) <{operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%x: f32):
  "async.yield"() : () -> ()
}) : (!async.token, !async.value<f32>) -> !async.token
//// at 0 of 2: not what another segment is passed as
^bb0(%t: !async.token, %v: !async.value<f32>):
%0 = "async.execute"(%v) <{operandSegmentSizes = array<i32: 0, 1>}> ({
...
}) : (!async.value<f32>) -> !async.token
//// at 1 of 2: with the argument whose type is in that of the operand
^bb0(%t: !async.token, %v: !async.value<f32>):
%0 = "async.execute"(%t) <{operandSegmentSizes = array<i32: 1, 0>}> ({
^bb0:
"async.yield"() : () -> ()
}) : (!async.token) -> !async.token
