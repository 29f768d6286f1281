func.func @f(%a: memref<4xf32>) -> f32 {
  %c = arith.constant 0 : index
  %0 = memref.load %a[%c] : memref<4xf32>
  return %0 : f32
}
