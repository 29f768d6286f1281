"""An evaluator of MLIR's core dialects in NumPy: what a program means, without any compiler.

This package imports NumPy only in modules that the evaluator's own process uses (`__main__` and
what it imports). `reference.py` is for the process that asks.
"""
