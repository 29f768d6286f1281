////
^bb0(%a: tensor<8x16xf32>):
%0 = "scf.forall"(%a) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0, 0>, staticStep = array<i64: 1, 2>, staticUpperBound = array<i64: 8, 16>}> ({
^bb0(%i: index, %j: index, %o: tensor<8x16xf32>):
  "x.use"(%o, %i, %j) : (tensor<8x16xf32>, index, index) -> ()
  "scf.forall.in_parallel"() ({
  }) : () -> ()
}) : (tensor<8x16xf32>) -> tensor<8x16xf32>
//// at 0 of 2: with the bounds, and the other variable in its place
^bb0(%a: tensor<8x16xf32>):
%0 = "scf.forall"(%a) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0>, staticStep = array<i64: 2>, staticUpperBound = array<i64: 16>}> ({
^bb0(%j: index, %o: tensor<8x16xf32>):
  "x.use"(%o, %j, %j) : (tensor<8x16xf32>, index, index) -> ()
  "scf.forall.in_parallel"() ({
  }) : () -> ()
}) : (tensor<8x16xf32>) -> tensor<8x16xf32>
////
"x.loop"() <{from = [0, 0, 0], to = [1, 2, 3], by = [1, 1, 1]}> ({
^bb0(%i: index, %j: index, %k: index):
  "x.use"(%i, %k) : (index, index) -> ()
}) : () -> ()
//// at all of 3: not the last one
"x.loop"() <{from = [0], to = [3], by = [1]}> ({
^bb0(%k: index):
  "x.use"(%k, %k) : (index, index) -> ()
}) : () -> ()
////
^bb0(%a: index):
"scf.forall"(%a) <{operandSegmentSizes = array<i32: 0, 1, 0, 0>, staticLowerBound = array<i64: 0, 0>, staticStep = array<i64: 1, 1>, staticUpperBound = array<i64: 8, -9223372036854775808>}> ({
^bb0(%i: index, %j: index):
  "x.use"(%i, %j) : (index, index) -> ()
}) : (index) -> ()
//// at all of 0: not those whose bounds are operands
////
#map = affine_map<() -> (0, 1)>
"affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map, reductions = [], steps = [1, 2], upperBoundsMap = affine_map<()[] -> (4, 8)>}> ({
^bb0(%i: index, %j: index):
  "affine.yield"() : () -> ()
}) : () -> ()
//// at 0 of 2: with the results of maps
- #map = affine_map<() -> (0, 1)>
- "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map, reductions = [], steps = [1, 2], upperBoundsMap = affine_map<()[] -> (4, 8)>}> ({
- ^bb0(%i: index, %j: index):
"affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<() -> (1)>, reductions = [], steps = [2], upperBoundsMap = affine_map<() -> (8)>}> ({
^bb0(%j: index):
...
