////
^bb0(%c: i1, %a: i32, %b: i32):
%0 = "t.if"(%c, %a, %b) ({
^bb0(%1: i32, %2: i32):
  "t.yield"(%1) : (i32) -> ()
}, {
^bb0(%3: i32, %4: i32):
  "t.yield"(%4) : (i32) -> ()
}) : (i1, i32, i32) -> i32
//// at 1 of 2: another argument takes its place
^bb0(%c: i1, %a: i32, %b: i32):
%0 = "t.if"(%c, %a) ({
^bb0(%1: i32):
  "t.yield"(%1) : (i32) -> ()
}, {
^bb0(%3: i32):
  "t.yield"(%3) : (i32) -> ()
}) : (i1, i32) -> i32
////
^bb0(%c: i1, %a: i32, %b: f32):
%0 = "t.if"(%c, %a, %b) ({
^bb0(%1: i32, %2: f32):
  "t.yield"(%1) : (i32) -> ()
}, {
^bb0(%3: i32, %4: f32):
  "t.yield"(%4) : (f32) -> ()
}) : (i1, i32, f32) -> i32
//// at all of 0: not a used argument without another of its type
////
^bb0(%c: i1, %a: i32, %b: i32):
%0 = "t.if"(%c, %a, %b) ({
^bb0(%1: i32, %2: index):
  "t.yield"(%1) : (i32) -> ()
}, {
^bb0(%3: i32, %4: i32):
  "t.yield"(%4) : (i32) -> ()
}) : (i1, i32, i32) -> i32
//// at all of 0: not operands of other types
////
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
%0 = "linalg.map"(%a, %b, %c) ({
^bb0(%d: f32, %e: f32):
  %1 = "math.sqrt"(%e) : (f32) -> f32
  "linalg.yield"(%1) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
//// at 0 of 2: the body takes elements of operands
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
%0 = "linalg.map"(%b, %c) ({
^bb0(%e: f32):
  %1 = "math.sqrt"(%e) : (f32) -> f32
  "linalg.yield"(%1) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
////
^bb0(%a: i32, %b: f32, %c: index):
"x.region"(%a, %b, %c) ({
^bb0(%d: i32, %e: f32):
  "x.use"(%d) : (i32) -> ()
}) : (i32, f32, index) -> ()
//// at all of 1: the operands that a body takes may be the first ones
^bb0(%a: i32, %b: f32, %c: index):
"x.region"(%a, %c) ({
^bb0(%d: i32):
  "x.use"(%d) : (i32) -> ()
}) : (i32, index) -> ()
