////
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{arg_attrs = [{t.x}], function_type = (i32) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: i32):
    "t.op"(%arg0) <{needed = 1 : i32}> {extra, more = 2 : i32} : (i32) -> ()
    "func.return"() : () -> ()
  }) {t.strict} : () -> ()
}) {t.target = "x"} : () -> ()
//// at all of 6: all but inherent attributes
^bb0(%arg0: i32):
"t.op"(%arg0) <{needed = 1 : i32}> : (i32) -> ()
//// at 4 of 6: a single attribute
...
    "t.op"(%arg0) <{needed = 1 : i32}> {more = 2 : i32} : (i32) -> ()
...
////
"func.func"() ({
^bb0(%arg0: i32):
  "func.return"() : () -> ()
}) {function_type = (i32) -> (), sym_name = "f", t.strict} : () -> ()
//// at all of 1: a function keeps its name and type where they are attributes
...
}) {function_type = (i32) -> (), sym_name = "f"} : () -> ()
////
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  "torch.operator"() <{name = "onnx.GRU"}> {torch.onnx.direction = "reverse"} : () -> ()
  "func.return"() : () -> ()
}) {torch.onnx_meta.opset_version = 16 : si64, torch.opset_versions = {}, torch.other} : () -> ()
//// at all of 2: attributes that define opaque ops stay
...
}) {torch.onnx_meta.opset_version = 16 : si64} : () -> ()
