////
#map = affine_map<(d0, d1)[s0, s1] -> (d1 + s1, 2)>
^bb0(%a: index, %b: index, %m: memref<5x6xf32>):
%0 = "affine.min"(%a, %b, %a, %b) <{map = #map}> : (index, index, index, index) -> index
%1 = "affine.load"(%m, %0, %a) <{map = affine_map<(d0, d1) -> (d1, 0)>}> : (memref<5x6xf32>, index, index) -> f32
"affine.for"(%a, %b, %a) <{lower_bound = affine_map<(d0) -> (0)>, upper_bound = affine_map<(d0)[s0] -> (s0)>}> ({
^bb0(%i: index):
  "affine.yield"() : () -> ()
}) : (index, index, index) -> ()
//// at all of 5: with the operands that are given for them
- #map = affine_map<(d0, d1)[s0, s1] -> (d1 + s1, 2)>
^bb0(%a: index, %b: index, %m: memref<5x6xf32>):
%0 = "affine.min"(%b, %b) <{map = affine_map<(d0)[s0] -> (d0 + s0, 2)>}> : (index, index) -> index
%1 = "affine.load"(%m, %a) <{map = affine_map<(d0) -> (d0, 0)>}> : (memref<5x6xf32>, index) -> f32
"affine.for"(%a) <{lower_bound = affine_map<() -> (0)>, upper_bound = affine_map<()[s0] -> (s0)>}> ({
...
}) : (index) -> ()
////
^bb0(%a: index, %m: memref<5x6xf32>, %v: vector<6xf32>):
"t.write"(%v, %m, %a, %a) <{map = affine_map<(d0, d1) -> (d1)>, operandSegmentSizes = array<i32: 2, 2>}> : (vector<6xf32>, memref<5x6xf32>, index, index) -> ()
%1 = "t.sum"(%a, %a) : (index, index) -> index
//// at all of 0: not those that stand for dims
