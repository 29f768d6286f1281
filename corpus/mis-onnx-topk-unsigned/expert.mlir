func.func @f(%a: !torch.vtensor<[6],ui8>) -> (!torch.vtensor<[3],ui8>, !torch.vtensor<[3],si64>) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 19 : si64} {
  %k = torch.operator "onnx.Constant"() {torch.onnx.value = dense<3> : tensor<1xsi64>} : () -> !torch.vtensor<[1],si64>
  %r:2 = torch.operator "onnx.TopK"(%a, %k) : (!torch.vtensor<[6],ui8>, !torch.vtensor<[1],si64>) -> (!torch.vtensor<[3],ui8>, !torch.vtensor<[3],si64>)
  return %r#0, %r#1 : !torch.vtensor<[3],ui8>, !torch.vtensor<[3],si64>
}
