func.func @empty() {
  %a = memref.alloc() : memref<0xf32, 3>
  %b = memref.alloc() : memref<0xf32, 0>
  %c = memref.alloc() : memref<0xf32, 0>
  return
}
