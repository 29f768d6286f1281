"""The complex dialect.

Source: MLIR language reference, 'complex' dialect.
"""

from typing import Any

import numpy as np

from reducer.evaluator.elements import Numbers
from reducer.evaluator.program import Op
from reducer.evaluator.registry import elementwise

_UFUNCS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "conj": np.conj, "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "sqrt": np.sqrt,
    "pow": np.power, "eq": np.equal, "neq": np.not_equal, "abs": np.abs, "angle": np.angle,
    "re": np.real, "im": np.imag, "rsqrt": lambda a: 1 / np.sqrt(a),
}  # fmt: skip

for _name, _ufunc in _UFUNCS.items():

    @elementwise(f"complex.{_name}")
    def _run(op: Op, *operands: Numbers, ufunc: Any = _ufunc) -> Numbers:
        return np.asarray(ufunc(*operands)).astype(op.result.dtype, copy=False)


@elementwise("complex.create")
def create(op: Op, real: Numbers, imaginary: Numbers) -> Numbers:
    out = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imaginary)), op.result.dtype)
    out.real, out.imag = real, imaginary
    return out


@elementwise("complex.sign")
def sign(op: Op, a: Numbers) -> Numbers:
    size = np.abs(a)
    return np.where(size == 0, a, a / np.where(size == 0, 1, size)).astype(op.result.dtype)


@elementwise("complex.atan2")
def atan2(op: Op, a: Numbers, b: Numbers) -> Numbers:
    root = np.sqrt(a * a + b * b)
    return np.asarray(-1j * np.log((b + 1j * a) / root)).astype(op.result.dtype)
