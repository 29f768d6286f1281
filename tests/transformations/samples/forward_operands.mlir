////
^bb0(%arg0: f32):
%0 = "t.make"(%arg0) : (f32) -> f32
%1 = "t.neg"(%0) : (f32) -> f32
%2 = "t.exp"(%1) : (f32) -> f32
"func.return"(%2) : (f32) -> ()
//// at 0, 1 of 3: an operand of equal type replaces the result
^bb0(%arg0: f32):
%0 = "t.make"(%arg0) : (f32) -> f32
"func.return"(%0) : (f32) -> ()
////
"func.func"() <{function_type = (f32) -> f32, sym_name = "f"}> ({
^bb0(%arg0: f32):
  %0 = "t.make"(%arg0) : (f32) -> f32
  %1 = "t.neg"(%0) : (f32) -> f32
  %2 = "t.exp"(%1) : (f32) -> f32
  "func.return"(%2) : (f32) -> ()
}) : () -> ()
"t.use"() {callee = @f} : () -> ()
//// at all of 6: arguments only replace values that cannot become arguments
"func.func"() <{function_type = (f32) -> f32, sym_name = "f"}> ({
^bb0(%arg0: f32):
  "func.return"(%arg0) : (f32) -> ()
}) : () -> ()
"t.use"() {callee = @f} : () -> ()
////
%0 = "linalg.generic"() ({
^bb0(%arg0: f32, %arg1: f32):
%1 = "t.index"() : () -> f32
%2 = "t.add"(%arg0, %1) : (f32, f32) -> f32
"linalg.yield"(%2) : (f32) -> ()
}) : () -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
//// at 2 of 5: the body of an op yields its argument
%0 = "linalg.generic"() ({
^bb0(%arg0: f32, %arg1: f32):
%1 = "t.index"() : () -> f32
"linalg.yield"(%arg0) : (f32) -> ()
}) : () -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()
////
^bb0(%arg0: f32):
%0 = "t.cast"(%arg0) : (f32) -> i32
"func.return"(%0) : (i32) -> ()
//// at all of 0: types must match
////
^bb0(%arg0: tensor<?xf32>):
%0 = "t.one"() : () -> !t.int
%1 = "t.size"(%arg0) : (tensor<?xf32>) -> !t.int
"t.use"(%1) : (!t.int) -> ()
//// at all of 1: configuration is replaced by any earlier value
^bb0(%arg0: tensor<?xf32>):
%0 = "t.one"() : () -> !t.int
"t.use"(%0) : (!t.int) -> ()
////
%0 = "t.a"() : () -> i32
%1:2 = "t.b"() : () -> (i32, i32)
%2 = "t.c"() : () -> i32
"t.use"(%1#1, %2) : (i32, i32) -> ()
//// at 0, 1 of 4: a removed value cannot be a replacement
%0 = "t.a"() : () -> i32
%2 = "t.c"() : () -> i32
"t.use"(%0, %2) : (i32, i32) -> ()
////
^bb0(%a: f16, %b: f16):
%0 = "t.make"(%a) : (f16) -> f32
%1 = "t.make"(%b) : (f16) -> f32
%2 = "t.add"(%0, %1) : (f32, f32) -> f32
"t.use"(%2) : (f32) -> ()
//// at 1, 2 of 3: of two values for one, the first
^bb0(%a: f16, %b: f16):
%0 = "t.make"(%a) : (f16) -> f32
%1 = "t.make"(%b) : (f16) -> f32
"t.use"(%0) : (f32) -> ()
