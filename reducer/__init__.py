"""Reduces an MLIR input that makes a compiler fail to a small one that fails the same way."""

__version__ = "0.1.0"
