func.func @store(%m: memref<?x8xi32>, %v: i32) {
  %c = arith.constant 1 : index
  memref.store %v, %m[%c, %c] : memref<?x8xi32>
  return
}
