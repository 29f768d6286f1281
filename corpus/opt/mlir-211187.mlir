#sparse = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 64, crdWidth = 64 }>
llvm.func @insert(%x: f64) {
  %zero = arith.constant 0.0 : f64
  %i = arith.constant 0 : index
  %t = bufferization.alloc_tensor() : tensor<128x64xf64, #sparse>
  %r = tensor.insert %zero into %t[%i, %i] : tensor<128x64xf64, #sparse>
  llvm.return
}
