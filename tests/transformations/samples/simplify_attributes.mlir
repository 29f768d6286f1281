////
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  "torch.operator"() <{name = "onnx.GRU"}> {torch.onnx.direction = "reverse"} : () -> ()
  "func.return"() : () -> ()
}) {torch.onnx_meta.opset_version = 16 : si64, torch.opset_versions = {}, torch.other} : () -> ()
//// at all of 0: attributes that define opaque ops stay
