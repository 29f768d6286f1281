func.func @write(%v: vector<f32>, %m: memref<3xf32>) attributes {llvm.emit_c_interface} {
  %0 = llvm.mlir.constant(0 : index) : i64
  %i = builtin.unrealized_conversion_cast %0 : i64 to index
  vector.transfer_write %v, %m[%i] : vector<f32>, memref<3xf32>
  return
}
