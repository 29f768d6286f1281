module {
  memref.global "private" @m : memref<4xi32> = dense<[3, -7, 11, -13]>
  func.func @main() {
    %c99_i32 = arith.constant 99 : i32
    %c0 = arith.constant 0 : index
    %0 = memref.get_global @m : memref<4xi32>
    affine.for %arg0 = 0 to 4 {
      affine.store %c99_i32, %0[0] : memref<4xi32>
      memref.store %c99_i32, %0[%c0] : memref<4xi32>
    }
    %1 = affine.load %0[0] : memref<4xi32>
    vector.print %1 : i32
    return
  }
}

