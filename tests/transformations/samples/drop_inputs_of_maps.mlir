////
#map = affine_map<(d0, d1)[s0, s1] -> (d1 + s1, 2)>
^bb0(%a: index, %b: index, %m: memref<5x6xf32>):
%0 = "affine.min"(%a, %b, %a, %b) <{map = #map}> : (index, index, index, index) -> index
%1 = "affine.load"(%m, %0, %a) <{map = affine_map<(d0, d1) -> (d1, 0)>}> : (memref<5x6xf32>, index, index) -> f32
%2 = "affine.for"(%a, %b, %1) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 2, 1>, step = 1 : index, upperBoundMap = affine_map<(d0)[s0] -> (d0)>}> ({
^bb0(%i: index, %s: f32):
  "affine.yield"(%s) : (f32) -> ()
}) : (index, index, f32) -> f32
//// at all of 4: with the operands that are given for them
- #map = affine_map<(d0, d1)[s0, s1] -> (d1 + s1, 2)>
^bb0(%a: index, %b: index, %m: memref<5x6xf32>):
%0 = "affine.min"(%b, %b) <{map = affine_map<(d0)[s0] -> (d0 + s0, 2)>}> : (index, index) -> index
%1 = "affine.load"(%m, %a) <{map = affine_map<(d0) -> (d0, 0)>}> : (memref<5x6xf32>, index) -> f32
%2 = "affine.for"(%a, %1) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 1, 1>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0)>}> ({
...
}) : (index, f32) -> f32
////
^bb0(%a: index, %m: memref<5x6xf32>, %p: f32):
%0 = "t.read"(%m, %a, %a) <{map = affine_map<(d0, d1) -> (d1)>}> : (memref<5x6xf32>, index, index) -> vector<6xf32>
%1 = "t.sum"(%a, %a) : (index, index) -> index
//// at all of 0: not those that stand for dims
