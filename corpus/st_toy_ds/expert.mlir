func.func @f(%a: !torch.vtensor<[4,?,32],f16>, %b: !torch.vtensor<[4,32,7],f16>) -> !torch.vtensor<[4,?,7],f16> {
  %0 = torch.aten.bmm %a, %b : !torch.vtensor<[4,?,32],f16>, !torch.vtensor<[4,32,7],f16> -> !torch.vtensor<[4,?,7],f16>
  return %0 : !torch.vtensor<[4,?,7],f16>
}
