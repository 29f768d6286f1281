////
"func.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
^bb0(%arg0: f32):
  %0 = "t.scalar"(%arg0) : (f32) -> f32
  %1 = "t.tensor"(%0) : (f32) -> tensor<4x8xf16>
  %2:2 = "t.both"(%1) : (tensor<4x8xf16>) -> (vector<4xi32>, index)
  "t.store"(%2#0) : (vector<4xi32>) -> ()
  "t.use"(%0) : (f32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"t.export"() {ref = @f} : () -> ()
//// at all of 3: every type has its constant
...
  %s0 = "arith.constant"() <{value = 0.0 : f32}> : () -> f32
  %s1 = "tensor.empty"() : () -> tensor<4x8xf16>
  %s2 = "arith.constant"() <{value = dense<0> : vector<4xi32>}> : () -> vector<4xi32>
  "t.store"(%s2) : (vector<4xi32>) -> ()
  "t.use"(%s0) : (f32) -> ()
...
////
^bb0(%arg0: f32):
%0 = "t.scalar"(%arg0) : (f32) -> f32
%1 = "t.tensor"(%0) : (f32) -> tensor<4x8xf16>
%2:2 = "t.both"(%1) : (tensor<4x8xf16>) -> (vector<4xi32>, index)
"t.store"(%2#0) : (vector<4xi32>) -> ()
"t.use"(%0) : (f32) -> ()
//// at all of 0: values that could be arguments are skipped
////
"func.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
^bb0(%arg0: f32):
  %0 = "t.a"(%arg0) : (f32) -> tensor<?xf32>
  %1 = "t.b"(%arg0) : (f32) -> !t.box
  "t.use"(%0, %1) : (tensor<?xf32>, !t.box) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"t.export"() {ref = @f} : () -> ()
//// at all of 0: dynamic and dialect types have none
