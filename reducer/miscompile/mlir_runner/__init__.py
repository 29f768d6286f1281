"""MLIR's own `mlir-opt` and `mlir-runner`, as a witness from outside the compiler's project."""
