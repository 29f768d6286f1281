"""A program that a pass makes wrong, and that MLIR's own tools make wrong as they lower it."""

MASKED = """
func.func @f(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant dense<[100, 200, 300, 400]> : vector<4xi32>
  %inner = vector.create_mask %c1 : vector<4xi1>
  %outer = vector.create_mask %c2 : vector<4xi1>
  vector.mask %outer {
    vector.transfer_write %v, %m[%c0], %inner {in_bounds = [true]} : vector<4xi32>, memref<4xi32>
  } : vector<4xi1>
  return
}
"""
"""https://github.com/llvm/llvm-project/issues/225244: the inner mask is dropped, also where the
runner lowers the program."""
