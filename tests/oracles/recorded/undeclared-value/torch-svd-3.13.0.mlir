func.func @f(%a: !torch.vtensor<[4,4],f32>) -> !torch.vtensor<[4,4],f32> {
  %0 = torch.aten.bincount %a, %none, %int0 : !torch.vtensor<[4,4],f32>, !torch.none, !torch.int -> !torch.vtensor<[4,4],f32>
  return %0 : !torch.vtensor<[4,4],f32>
}
