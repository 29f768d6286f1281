func.func @f(%a: !torch.vtensor<[8],ui8>, %b: !torch.vtensor<[8],ui8>) -> !torch.vtensor<[8],ui8> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 19 : si64} {
  %r = torch.operator "onnx.Div"(%a, %b) : (!torch.vtensor<[8],ui8>, !torch.vtensor<[8],ui8>) -> !torch.vtensor<[8],ui8>
  return %r : !torch.vtensor<[8],ui8>
}
