func.func @f(%a: !torch.vtensor<[?,4],f32>) -> !torch.vtensor<[?,?],f32> {
  %none = torch.constant.none
  %p = torch.constant.float 2.0
  %0 = torch.aten.cdist %a, %a, %p, %none : !torch.vtensor<[?,4],f32>, !torch.vtensor<[?,4],f32>, !torch.float, !torch.none -> !torch.vtensor<[?,?],f32>
  return %0 : !torch.vtensor<[?,?],f32>
}
