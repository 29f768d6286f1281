module {
  memref.global "private" @start : memref<8xi32> = dense<[1, 2, 3, 4, 5, 6, 7, 8]>
  func.func private @printMemrefI32(memref<*xi32>)
  func.func @main() {
    %0 = memref.get_global @start : memref<8xi32>
    %alloc = memref.alloc() : memref<8xi32>
    memref.copy %0, %alloc : memref<8xi32> to memref<8xi32>
    affine.for %arg0 = 0 to 6 {
      %1 = affine.load %alloc[%arg0] : memref<8xi32>
      %2 = arith.addi %1, %1 : i32
      affine.store %2, %alloc[%arg0] : memref<8xi32>
    }
    %cast = memref.cast %alloc : memref<8xi32> to memref<*xi32>
    call @printMemrefI32(%cast) : (memref<*xi32>) -> ()
    return
  }
}

