func.func @main(%a: !torch.vtensor<[4,?],si64>, %b: !torch.vtensor<[4,1,1,?],f32>, %c: !torch.vtensor<[4,8,?,16],f32>, %d: !torch.vtensor<[4,8,1,16],f32>, %e: tensor<1x4x1x16xf32>) -> !torch.vtensor<[4,8,1,16],f32> {
  %0 = arith.constant 1 : index
  %1 = torch.constant.float 0.000000e+00
  %2 = torch.constant.int 16
  %3 = torch.constant.int 8
  %4 = torch.constant.int 4
  %5 = torch.constant.int 2
  %6 = torch.constant.bool false
  %7 = torch.constant.none
  %8 = torch.constant.int 1
  %9 = torch.symbolic_int "" {min_val = 2, max_val = 7} : !torch.int
  torch.bind_symbolic_shape %a, [%9], affine_map<()[s0] -> (4, s0)> : !torch.vtensor<[4,?],si64>
  %10 = torch.aten.size.int %a, %8 : !torch.vtensor<[4,?],si64>, !torch.int -> !torch.int
  %11 = torch_c.to_builtin_tensor %a : !torch.vtensor<[4,?],si64> -> tensor<4x?xi64>
  %12 = tensor.dim %11, %0 : tensor<4x?xi64>
  %13 = tensor.empty(%12) : tensor<4x?x4x1x16xf32>
  %14 = iree_linalg_ext.gather dimension_map = [0] ins(%e, %11 : tensor<1x4x1x16xf32>, tensor<4x?xi64>) outs(%13 : tensor<4x?x4x1x16xf32>) -> tensor<4x?x4x1x16xf32>
  %15 = torch_c.from_builtin_tensor %14 : tensor<4x?x4x1x16xf32> -> !torch.vtensor<[4,?,4,1,16],f32>
  %16 = torch.prim.ListConstruct %4, %10, %4, %5, %2 : (!torch.int, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %17 = torch.aten.expand %15, %16, %6 : !torch.vtensor<[4,?,4,1,16],f32>, !torch.list<int>, !torch.bool -> !torch.vtensor<[4,?,4,2,16],f32>
  %18 = torch.prim.ListConstruct %4, %10, %3, %2 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %19 = torch.aten._unsafe_view %17, %18 : !torch.vtensor<[4,?,4,2,16],f32>, !torch.list<int> -> !torch.vtensor<[4,?,8,16],f32>
  %20 = torch.aten.transpose.int %19, %8, %5 : !torch.vtensor<[4,?,8,16],f32>, !torch.int, !torch.int -> !torch.vtensor<[4,8,?,16],f32>
  %21 = torch.aten.scaled_dot_product_attention %d, %c, %20, %b, %1, %6, %7, %6 : !torch.vtensor<[4,8,1,16],f32>, !torch.vtensor<[4,8,?,16],f32>, !torch.vtensor<[4,8,?,16],f32>, !torch.vtensor<[4,1,1,?],f32>, !torch.float, !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[4,8,1,16],f32>
  return %21 : !torch.vtensor<[4,8,1,16],f32>
}
