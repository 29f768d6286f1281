func.func @main(%q: !torch.vtensor<[2,2,2,2],f16>) -> !torch.vtensor<[2,2,2,2],f16> {
  %none = torch.constant.none
  %dropout = torch.constant.float 0.000000e+00
  %false = torch.constant.bool false
  %scale = torch.constant.float 7.071068e-01
  %0 = torch.aten.scaled_dot_product_attention %q, %q, %q, %none, %dropout, %false, %scale, %false : !torch.vtensor<[2,2,2,2],f16>, !torch.vtensor<[2,2,2,2],f16>, !torch.vtensor<[2,2,2,2],f16>, !torch.none, !torch.float, !torch.bool, !torch.float, !torch.bool -> !torch.vtensor<[2,2,2,2],f16>
  return %0 : !torch.vtensor<[2,2,2,2],f16>
}
