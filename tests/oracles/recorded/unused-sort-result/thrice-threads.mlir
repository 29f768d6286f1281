module {
  func.func @layer_a(%x: !torch.vtensor<[?,40],f32>) -> !torch.vtensor<[?,3],si64> {
    %k = torch.constant.int 3
    %d = torch.constant.int -1
    %t = torch.constant.bool true
    %v, %i = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[?,40],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>
    return %i : !torch.vtensor<[?,3],si64>
  }
  func.func @layer_b(%x: !torch.vtensor<[?,64],f32>) -> !torch.vtensor<[?,3],si64> {
    %k = torch.constant.int 3
    %d = torch.constant.int -1
    %t = torch.constant.bool true
    %v, %i = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[?,64],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>
    return %i : !torch.vtensor<[?,3],si64>
  }
  func.func @layer_c(%x: !torch.vtensor<[?,96],f32>) -> !torch.vtensor<[?,3],si64> {
    %k = torch.constant.int 3
    %d = torch.constant.int -1
    %t = torch.constant.bool true
    %v, %i = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[?,96],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>
    return %i : !torch.vtensor<[?,3],si64>
  }
}
