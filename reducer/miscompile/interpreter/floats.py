"""What an op on floats leaves open: by its fast-math flags, and the sign of a zero in an extremum.

Source: MLIR language reference, `arith.fastmath`, whose flags are those of LLVM. With nnan and
ninf, a NaN or an infinity that goes in or comes out is poison. The others allow another way to
compute the same number, which shows where one way leaves the range of the type and another does
not: `x * 1e30 * 1e-30` overflows, and with reassoc it may be `x`. Such a result is poison, too.
What is only rounded in another way, and the sign of a zero, is disturbed instead (see `noise`).

`arith.maximumf` and `arith.minimumf` treat -0 as less than +0, as IEEE 754-2019 does. For
`arith.maxnumf` and `arith.minnumf` the two are equal, and either is right. NumPy's functions give
whichever comes last.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np

from reducer.miscompile.interpreter import noise
from reducer.miscompile.interpreter.noise import fastmath_flags
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.values.elements import Numbers

_finfo: Any = ml_dtypes.finfo
_SCALING = ("arith.mulf", "arith.divf")
"""Ops whose result is zero only if an operand is, unless it is too small for the type."""


def promised(op: Op, *numbers: Numbers) -> Numbers | None:
    """Where a promise that there are no NaNs or no infinities is broken; None without promises."""
    flags = fastmath_flags(op)
    if not flags & {"nnan", "ninf", "fast"}:
        return None
    out: Any = np.False_
    for data in map(_widened, numbers):
        if flags & {"nnan", "fast"}:
            out = out | np.isnan(data)
        if flags & {"ninf", "fast"}:
            out = out | np.isinf(data)
    return np.asarray(out)


def unsettled(op: Op, operands: list[Numbers], out: Numbers) -> Numbers | None:
    """Where the flags allow any result: a broken promise, or another way to compute it that does
    not leave the range of the type where this one does, or the other way round.
    """
    masks = [promised(op, *operands, out)]
    flags = fastmath_flags(op)
    if flags & {"reassoc", "fast"}:
        masks.append(_out_of_range(op, operands, out))
    if flags & {"arcp", "fast"} and op.name == "arith.divf":
        masks.append(_has_no_reciprocal(operands[1]))
    known = [mask for mask in masks if mask is not None]
    return reduce(np.logical_or, known) if known else None


def _out_of_range(op: Op, operands: list[Numbers], out: Numbers) -> Numbers:
    """Where numbers other than zero overflow, or become too small. Zero is where functions have
    poles, and an infinity is right in any order.
    """
    ordinary = reduce(np.logical_and, map(_is_ordinary, operands))
    result = np.abs(_widened(out))
    lost = np.isinf(result)
    if op.name in _SCALING:
        lost = lost | (result < float(_finfo(out.dtype).smallest_normal))
    return np.asarray(ordinary & lost)


def _has_no_reciprocal(divisor: Numbers) -> Numbers:
    """Where the reciprocal of a finite number is infinite, or subnormal."""
    with np.errstate(all="ignore"):
        size = np.abs(1 / divisor.astype(np.longdouble))
    limits = _finfo(divisor.dtype)
    lost = (size > float(limits.max)) | (size < float(limits.smallest_normal))
    return np.asarray(_is_ordinary(divisor) & lost)


def _is_ordinary(data: Numbers) -> Numbers:
    given = _widened(data)
    return np.asarray(np.isfinite(given) & (given != 0))


def _widened(data: Numbers) -> Numbers:
    """The numbers in a type that NumPy can classify."""
    if data.dtype.kind not in "fVc" or data.dtype.itemsize < 4:
        return data.astype(np.float32)
    return data


@dataclass(frozen=True)
class Extremum:
    """A function of two arrays that can also be folded over axes, as NumPy's are.

    `zero` is the sign that a zero has if there is any of this sign: 1 or -1; 0 if either will do.
    """

    function: Any
    zero: int

    def __call__(self, a: Any, b: Any) -> Any:
        out = np.asarray(self.function(a, b))
        if out.dtype.kind != "f":
            return out
        plus = _zeros(a, False) | _zeros(b, False)
        return self._signed(out, plus, _zeros(a, True) | _zeros(b, True))

    def reduce(self, data: Any, axis: Any, keepdims: bool = False, dtype: Any = None) -> Any:
        """What all elements along some axes come to."""
        out = self.function.reduce(data, axis=axis, keepdims=keepdims, dtype=dtype)
        if out.dtype.kind != "f":
            return out
        plus = np.any(_zeros(data, False), axis=axis, keepdims=keepdims)
        minus = np.any(_zeros(data, True), axis=axis, keepdims=keepdims)
        return self._signed(out, plus, minus)

    def _signed(self, out: Any, plus: Any, minus: Any) -> Any:
        """The results with the right zeros; `plus` and `minus` say which there are to choose."""
        sign = self.zero or (noise.zero_sign() if noise.is_active() else 0)
        if not sign:
            return out
        zero = np.copysign(out.dtype.type(0), sign)
        return np.where((out == 0) & plus & minus, zero, out)


def _zeros(data: Any, negative: bool) -> Any:
    return (np.asarray(data) == 0) & (np.signbit(data) == negative)


maximum = Extremum(np.maximum, 1)
minimum = Extremum(np.minimum, -1)
maxnum = Extremum(np.fmax, 0)
minnum = Extremum(np.fmin, 0)
