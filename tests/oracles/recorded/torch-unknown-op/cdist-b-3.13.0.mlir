func.func @forward(%arg0: !torch.vtensor<[7],si64>) -> !torch.vtensor<[7],si64> {
  %0 = torch.aten.no_such_thing %arg0 : !torch.vtensor<[7],si64> -> !torch.vtensor<[7],si64>
  return %0 : !torch.vtensor<[7],si64>
}
