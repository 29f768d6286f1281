func.func @f(%a: !torch.vtensor<[8],ui8>) -> !torch.vtensor<[8],ui8> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 19 : si64} {
  %low = torch.operator "onnx.Constant"() {torch.onnx.value = dense<10> : tensor<ui8>} : () -> !torch.vtensor<[],ui8>
  %high = torch.operator "onnx.Constant"() {torch.onnx.value = dense<200> : tensor<ui8>} : () -> !torch.vtensor<[],ui8>
  %r = torch.operator "onnx.Clip"(%a, %low, %high) : (!torch.vtensor<[8],ui8>, !torch.vtensor<[],ui8>, !torch.vtensor<[],ui8>) -> !torch.vtensor<[8],ui8>
  return %r : !torch.vtensor<[8],ui8>
}
