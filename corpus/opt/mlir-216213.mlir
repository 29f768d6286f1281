func.func @create(%a: tensor<4xf32>, %b: tensor<4xf32>) -> !async.value<tensor<4xf32>> {
  %v = async.runtime.create : !async.value<tensor<4xf32>>
  return %v : !async.value<tensor<4xf32>>
}
