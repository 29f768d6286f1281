func.func @spaces(%m: memref<4x4xf32>) -> memref<4x4xf32, 1> {
  %no = arith.constant false
  %yes = arith.constant true
  %s = memref.memory_space_cast %m : memref<4x4xf32> to memref<4x4xf32, 1>
  %d = memref.cast %s : memref<4x4xf32, 1> to memref<?x?xf32, 1>
  %e = memref.cast %d : memref<?x?xf32, 1> to memref<4x4xf32, 1>
  %r = scf.if %no -> (memref<4x4xf32, 1>) {
    scf.yield %e : memref<4x4xf32, 1>
  } else {
    %c = bufferization.clone %e : memref<4x4xf32, 1> to memref<4x4xf32, 1>
    scf.yield %c : memref<4x4xf32, 1>
  }
  %b, %o, %n:2, %t:2 = memref.extract_strided_metadata %m : memref<4x4xf32> -> memref<f32>, index, index, index, index, index
  %b2, %o2, %n2:2, %t2:2 = memref.extract_strided_metadata %s : memref<4x4xf32, 1> -> memref<f32, 1>, index, index, index, index, index
  %k = bufferization.dealloc (%b, %b2 : memref<f32>, memref<f32, 1>) if (%no, %yes) retain (%r : memref<4x4xf32, 1>)
  return %s : memref<4x4xf32, 1>
}
