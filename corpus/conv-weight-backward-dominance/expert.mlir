#input = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d1 + d5, d2, d3)>
#filter = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d2, d0)>
#output = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
func.func @main(%grad: tensor<2x235x1x224xbf16>, %out: tensor<224x1x1x224xf32>) -> tensor<224x1x1x224xf32> {
  %0 = linalg.generic {indexing_maps = [#input, #filter, #output], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%grad, %grad : tensor<2x235x1x224xbf16>, tensor<2x235x1x224xbf16>) outs(%out : tensor<224x1x1x224xf32>) {
  ^bb0(%a: bf16, %b: bf16, %acc: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %acc, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<224x1x1x224xf32>
  return %0 : tensor<224x1x1x224xf32>
}
