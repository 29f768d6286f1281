////
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  "torch.operator"() <{name = "onnx.GRU"}> {torch.onnx.direction = "reverse"} : () -> ()
  "func.return"() : () -> ()
}) {torch.onnx_meta.opset_version = 16 : si64, torch.opset_versions = {}, torch.other} : () -> ()
//// at all of 0: attributes that define opaque ops stay
////
^bb0(%arg0: f32):
%0 = "arith.addf"(%arg0, %arg0) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
%1 = "arith.addf"(%0, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
"t.take"(%1) <{hint = 4 : i64, operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
//// at all of 2: all but default and structural properties
^bb0(%arg0: f32):
%0 = "arith.addf"(%arg0, %arg0) : (f32, f32) -> f32
%1 = "arith.addf"(%0, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
"t.take"(%1) <{operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
//// at 1 of 2: a single property
...
"t.take"(%1) <{operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
////
"builtin.module"() ({
  "util.global"() <{initial_value = #util.byte<1>, sym_name = "g", type = i32}> : () -> ()
}) : () -> ()
//// at 0 of 2: a global loses its initial value
"builtin.module"() ({
  "util.global"() <{sym_name = "g", type = i32}> : () -> ()
}) : () -> ()
