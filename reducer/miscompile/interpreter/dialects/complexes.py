"""The complex dialect.

Source: MLIR language reference, 'complex' dialect. It says nothing about complex numbers that are
not finite, nor on which side of a branch cut a number lies, and implementations differ: they
compute a quotient or an absolute value with or without regard to an overflow in between. So what
depends on that is poison.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.noise import disturb_parts
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import elementwise
from reducer.miscompile.values.elements import Numbers

_UFUNCS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "conj": np.conj, "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "sqrt": np.sqrt,
    "pow": np.power, "eq": np.equal, "neq": np.not_equal, "abs": np.abs, "angle": np.angle,
    "re": np.real, "im": np.imag, "rsqrt": lambda a: 1 / np.sqrt(a),
}  # fmt: skip

_PARTS = "re", "im", "neg", "conj"
"""What is defined for all numbers."""
_CUT = "log", "sqrt", "rsqrt", "pow", "angle", "atan2"
_SQUARED = "abs", "sign", "sqrt", "rsqrt", "log", "pow", "atan2"
"""What may be computed from the square of the absolute value, as a quotient from the divisor's."""
_STEEP = "tan", "tanh"
_MOST = 40.0
"""Beyond, the exponential functions in a tangent may overflow."""

for _name, _ufunc in _UFUNCS.items():

    @elementwise(f"complex.{_name}")
    def _run(
        op: Op, *operands: Numbers, name: str = _name, ufunc: Any = _ufunc
    ) -> tuple[Numbers, Numbers | None]:
        out = np.asarray(ufunc(*operands)).astype(op.result.dtype, copy=False)
        if name in _PARTS:
            return out, None
        return disturb_parts(out, operands, ufunc), _unsettled(name, out, operands)


def _unsettled(name: str, out: Numbers, operands: Sequence[Numbers]) -> Numbers:
    """Where the result of an op is a matter of the implementation."""
    bad = ~np.isfinite(out)
    for operand in operands:
        bad = bad | ~np.isfinite(operand)
        if name in _CUT:
            bad = bad | ((operand.imag == 0) & (operand.real <= 0))
        if name in _SQUARED:
            bad = bad | _overflows_squared(operand)
        if name in _STEEP:
            bad = bad | (np.maximum(np.abs(operand.real), np.abs(operand.imag)) > _MOST)
    if name == "div":
        bad = bad | _overflows_squared(operands[-1])
    return np.asarray(bad)


def _overflows_squared(data: Numbers) -> Numbers:
    """Where the square of the absolute value is too large or too small for a normal number."""
    limits = np.finfo(data.dtype)
    size = np.abs(data)
    tiny = (size < np.sqrt(limits.tiny)) & (size != 0)
    return np.asarray((size > np.sqrt(limits.max)) | tiny)


@elementwise("complex.create")
def create(op: Op, real: Numbers, imaginary: Numbers) -> Numbers:
    out = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imaginary)), op.result.dtype)
    out.real, out.imag = real, imaginary
    return out


@elementwise("complex.sign")
def sign(op: Op, a: Numbers) -> tuple[Numbers, Numbers | None]:
    def compute(data: Numbers) -> Any:
        size = np.abs(data)
        return np.where(size == 0, data, data / np.where(size == 0, 1, size))

    out = np.asarray(compute(a)).astype(op.result.dtype)
    return disturb_parts(out, (a,), compute), _unsettled("sign", out, (a,))


@elementwise("complex.atan2")
def atan2(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers | None]:
    def compute(one: Numbers, other: Numbers) -> Any:
        root = np.sqrt(one * one + other * other)
        return -1j * np.log((other + 1j * one) / root)

    out = np.asarray(compute(a, b)).astype(op.result.dtype)
    return disturb_parts(out, (a, b), compute), _unsettled("atan2", out, (a, b))
