#map = affine_map<()[s0, s1] -> (s0 * s1)>
module {
  func.func @f(%arg0: memref<1x9x9xi32>, %arg1: memref<9x9xi32>, %arg2: index, %arg3: index, %arg4: i32) {
    affine.for %arg5 = 1 to 8 {
      affine.for %arg6 = 1 to 8 {
        %c0 = arith.constant 0 : index
        %0 = affine.apply #map()[%arg2, %c0]
        affine.store %arg4, %arg0[%0, %arg5, %arg6] : memref<1x9x9xi32>
        %1 = affine.load %arg0[%0, %arg5 - 1, %arg6 + 1] : memref<1x9x9xi32>
        affine.store %1, %arg1[%arg5, %arg6] : memref<9x9xi32>
      }
    }
    return
  }
}

