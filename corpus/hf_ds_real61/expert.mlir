func.func @f(%a: !torch.vtensor<[2,3],si64>) -> !torch.vtensor<[2,2],si64> {
  %int1 = torch.constant.int 1
  %int-1 = torch.constant.int -1
  %none = torch.constant.none
  %0 = torch.operator "torch.aten.diff"(%a, %int1, %int-1, %none, %none) : (!torch.vtensor<[2,3],si64>, !torch.int, !torch.int, !torch.none, !torch.none) -> !torch.vtensor<[2,2],si64>
  return %0 : !torch.vtensor<[2,2],si64>
}
