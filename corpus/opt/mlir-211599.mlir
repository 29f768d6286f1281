module {
  func.func @escape(%arg0: memref<?xf64>) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 1.000000e+02 : f64
    memref.store %cst, %arg0[%c0] : memref<?xf64>
    return
  }
  func.func @control(%arg0: memref<32xf64>, %arg1: memref<32xf64>, %arg2: memref<32xf64>) {
    affine.for %arg3 = 0 to 16 {
      %0 = affine.load %arg0[%arg3] : memref<32xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %arg1[%arg3] : memref<32xf64>
    }
    %cast = memref.cast %arg1 : memref<32xf64> to memref<?xf64>
    call @escape(%cast) : (memref<?xf64>) -> ()
    affine.for %arg3 = 0 to 16 {
      %0 = affine.load %arg1[%arg3] : memref<32xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %arg2[%arg3] : memref<32xf64>
    }
    return
  }
}

