func.func @loaded(%i: index) -> i64 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i64
  %m = memref.alloc() : memref<4xi64>
  memref.store %v, %m[%c0] : memref<4xi64>
  %r = memref.load %m[%i] : memref<4xi64>
  return %r : i64
}
// Fresh memory is poison.
// loaded(0) = 7
// loaded(1) = P
// loaded(4) fails: index 4 is out of bounds of dimension 0
func.func @stored(%i: index) -> i64 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i64
  %m = memref.alloc() : memref<4xi64>
  memref.store %v, %m[%c0] : memref<4xi64>
  memref.store %v, %m[%i] : memref<4xi64>
  return %v : i64
}
// stored(4) fails: index 4 is out of bounds
func.func @freed() -> i64 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i64
  %m = memref.alloc() : memref<4xi64>
  memref.store %v, %m[%c0] : memref<4xi64>
  memref.dealloc %m : memref<4xi64>
  %r = memref.load %m[%c0] : memref<4xi64>
  return %v : i64
}
// freed() fails: used after it is freed
func.func @viewed(%i: index) -> i64 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i64
  %m = memref.alloc() : memref<4xi64>
  memref.store %v, %m[%c0] : memref<4xi64>
  %s = memref.subview %m[%i] [2] [1] : memref<4xi64> to memref<2xi64, strided<[1], offset: ?>>
  return %v : i64
}
// viewed(4) fails: a view that is out of bounds
func.func @overlapping() -> i64 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i64
  %m = memref.alloc() : memref<4xi64>
  memref.store %v, %m[%c0] : memref<4xi64>
  %s = memref.subview %m[0] [3] [1] : memref<4xi64> to memref<3xi64, strided<[1]>>
  %t = memref.subview %m[1] [3] [1] : memref<4xi64> to memref<3xi64, strided<[1], offset: 1>>
  memref.copy %s, %t : memref<3xi64, strided<[1]>> to memref<3xi64, strided<[1], offset: 1>>
  return %v : i64
}
// overlapping() fails: parts of memory that overlap
func.func @shared(%a: i64) -> (i64, i64) {
  %v = arith.constant 7 : i64
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.alloc() : memref<3x4xi64>
  linalg.fill ins(%v : i64) outs(%m : memref<3x4xi64>)
  %s = memref.subview %m[1, 0] [1, 2] [1, 2] : memref<3x4xi64>
      to memref<2xi64, strided<[2], offset: 4>>
  memref.store %a, %s[%c1] : memref<2xi64, strided<[2], offset: 4>>
  %r = memref.load %m[%c1, %c2] : memref<3x4xi64>
  %f = memref.collapse_shape %m [[0, 1]] : memref<3x4xi64> into memref<12xi64>
  %c5 = arith.constant 5 : index
  %u = memref.load %f[%c5] : memref<12xi64>
  return %r, %u : i64, i64
}
// A view shares memory.
// shared(3) = 3, 7
memref.global constant @g : memref<2xi64> = dense<[4, 9]>
func.func @copied(%a: i64) -> (i64, i64) {
  %c1 = arith.constant 1 : index
  %g = memref.get_global @g : memref<2xi64>
  %m = memref.alloca() : memref<2xi64>
  memref.copy %g, %m : memref<2xi64> to memref<2xi64>
  %t = bufferization.to_tensor %m : memref<2xi64> to tensor<2xi64>
  memref.store %a, %m[%c1] : memref<2xi64>
  %old = tensor.extract %t[%c1] : tensor<2xi64>
  %new = memref.load %m[%c1] : memref<2xi64>
  return %old, %new : i64, i64
}
// copied(3) = 9, 3
#low = affine_map<(d) -> (d, 2)>
#high = affine_map<(d) -> (d + 5, 9)>
func.func @visited(%n: index) -> i64 {
  %zero = arith.constant 0 : i64
  %m = memref.alloc() : memref<10xi64>
  affine.for %i = 0 to 10 {
    affine.store %zero, %m[%i] : memref<10xi64>
  }
  %one = arith.constant 1 : i64
  affine.for %i = max #low(%n) to min #high(%n) step 2 {
    affine.if affine_set<(i)[n] : (i - n - 1 >= 0)>(%i)[%n] {
      affine.store %one, %m[%i] : memref<10xi64>
    }
  }
  %sum = affine.for %i = 0 to 10 iter_args(%s = %zero) -> (i64) {
    %x = affine.load %m[9 - %i] : memref<10xi64>
    %w = arith.index_cast %i : index to i64
    %p = arith.muli %x, %w : i64
    %t = arith.addi %s, %p : i64
    affine.yield %t : i64
  }
  return %sum : i64
}
// 4, 6 and 8 are visited, and 4 is not larger than n: 9 - 6 + 9 - 8 is the sum of weights.
// visited(4) = 4
