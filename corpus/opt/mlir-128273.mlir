module {
  func.func @main() -> i32 {
    %idx0 = index.constant 0
    %c821775651_i32 = arith.constant 821775651 : i32
    %c-58822_i32 = arith.constant -58822 : i32
    %alloc = memref.alloc() : memref<1xi32>
    memref.store %c-58822_i32, %alloc[%idx0] : memref<1xi32>
    affine.for %arg0 = 0 to 0 {
      affine.store %c821775651_i32, %alloc[%idx0] : memref<1xi32>
    }
    %0 = memref.load %alloc[%idx0] : memref<1xi32>
    vector.print %0 : i32
    return %0 : i32
  }
}

