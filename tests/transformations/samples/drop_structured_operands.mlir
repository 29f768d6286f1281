////
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
^bb0(%arg0: tensor<4x?xf32>, %arg1: tensor<4xf32>):
%0:2 = "linalg.generic"(%arg0, %arg1, %arg1, %arg1) <{indexing_maps = [#map, #map1, #map1, #map1], operandSegmentSizes = array<i32: 2, 2>}> ({
^bb0(%arg2: f32, %arg3: f32, %arg4: f32, %arg5: f32):
  %1 = "arith.addf"(%arg3, %arg4) : (f32, f32) -> f32
  %2 = "arith.mulf"(%arg5, %arg5) : (f32, f32) -> f32
  "linalg.yield"(%1, %2) : (f32, f32) -> ()
}) : (tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
"func.return"(%0#0) : (tensor<4xf32>) -> ()
//// at 0 of 2: an input is replaced by another
...
%0:2 = "linalg.generic"(%arg0, %arg1, %arg1) <{indexing_maps = [#map, #map1, #map1], operandSegmentSizes = array<i32: 1, 2>}> ({
^bb0(%arg2: f32, %arg4: f32, %arg5: f32):
  %1 = "arith.addf"(%arg2, %arg4) : (f32, f32) -> f32
...
}) : (tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
"func.return"(%0#0) : (tensor<4xf32>) -> ()
//// at 1 of 2: dropping an output drops its result and computation
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
^bb0(%arg0: tensor<4x?xf32>, %arg1: tensor<4xf32>):
%s0 = "linalg.generic"(%arg0, %arg1, %arg1) <{indexing_maps = [#map, #map1, #map1], operandSegmentSizes = array<i32: 2, 1>}> ({
^bb0(%arg2: f32, %arg3: f32, %arg4: f32):
  %1 = "arith.addf"(%arg3, %arg4) : (f32, f32) -> f32
  "linalg.yield"(%1) : (f32) -> ()
}) : (tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%s0) : (tensor<4xf32>) -> ()
////
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
^bb0(%arg0: tensor<4x?xf32>, %arg1: tensor<4xf32>):
%s0 = "linalg.generic"(%arg0, %arg1, %arg1) <{indexing_maps = [#map, #map1, #map1], operandSegmentSizes = array<i32: 2, 1>}> ({
^bb0(%arg2: f32, %arg3: f32, %arg4: f32):
  %1 = "arith.addf"(%arg3, %arg4) : (f32, f32) -> f32
  "linalg.yield"(%1) : (f32) -> ()
}) : (tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%s0) : (tensor<4xf32>) -> ()
//// at all of 1: the last output stays
...
%s0 = "linalg.generic"(%arg0, %arg1) <{indexing_maps = [#map, #map1], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg2: f32, %arg4: f32):
  %1 = "arith.addf"(%arg2, %arg4) : (f32, f32) -> f32
  "linalg.yield"(%1) : (f32) -> ()
}) : (tensor<4x?xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%s0) : (tensor<4xf32>) -> ()
////
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
^bb0(%arg0: tensor<?xf32>, %arg1: tensor<4xf32>):
%0:2 = "linalg.generic"(%arg0, %arg1, %arg1, %arg1) <{indexing_maps = [#map, #map, #map1, #map1], operandSegmentSizes = array<i32: 2, 2>}> ({
^bb0(%arg2: f32, %arg3: f32, %arg4: f32, %arg5: f32):
  %1 = "arith.addf"(%arg3, %arg4) : (f32, f32) -> f32
  %2 = "arith.mulf"(%arg5, %arg5) : (f32, f32) -> f32
  "linalg.yield"(%1, %2) : (f32, f32) -> ()
}) : (tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
"func.return"(%0#0) : (tensor<4xf32>) -> ()
//// at all of 3: as many as possible are dropped together
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
^bb0(%arg0: tensor<?xf32>, %arg1: tensor<4xf32>):
%s0 = "linalg.generic"(%arg1, %arg1) <{indexing_maps = [#map, #map1], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg3: f32, %arg4: f32):
  %1 = "arith.addf"(%arg3, %arg4) : (f32, f32) -> f32
  "linalg.yield"(%1) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%s0) : (tensor<4xf32>) -> ()
////
#map1 = affine_map<(d0) -> (d0)>
^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xf32>):
%0:2 = "linalg.generic"(%arg0, %arg1, %arg2) <{indexing_maps = [#map1, #map1, #map1], operandSegmentSizes = array<i32: 1, 2>}> ({
^bb0(%arg3: f32, %arg4: i32, %arg5: f32):
  "linalg.yield"(%arg4, %arg3) : (i32, f32) -> ()
}) : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>)
"func.return"(%0#0, %0#1) : (tensor<4xi32>, tensor<4xf32>) -> ()
//// at 1 of 2: an output whose argument is only yielded
#map1 = affine_map<(d0) -> (d0)>
^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xf32>):
%s0 = "linalg.generic"(%arg0, %arg2) <{indexing_maps = [#map1, #map1], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg3: f32, %arg5: f32):
  "linalg.yield"(%arg3) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%arg1, %s0) : (tensor<4xi32>, tensor<4xf32>) -> ()
