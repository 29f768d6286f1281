"""What the fast-math flags of an op leave open.

Source: MLIR language reference, `arith.fastmath`, whose flags are those of LLVM. With nnan and
ninf, a NaN or an infinity that goes in or comes out is poison. The others allow another way to
compute the same number, which shows where one way leaves the range of the type and another does
not: `x * 1e30 * 1e-30` overflows, and with reassoc it may be `x`. Such a result is poison, too.
What is only rounded in another way, and the sign of a zero, is disturbed instead (see `noise`).
"""

from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np

from reducer.miscompile.interpreter.elements import Numbers
from reducer.miscompile.interpreter.program import Op

_finfo: Any = ml_dtypes.finfo
_SCALING = ("arith.mulf", "arith.divf")
"""Ops whose result is zero only if an operand is, unless it is too small for the type."""

_ESTIMATED = ("arith.divf", "math.sqrt")


def promised(op: Op, *numbers: Numbers) -> Numbers | None:
    """Where a promise that there are no NaNs or no infinities is broken; None without promises."""
    flags = _flags(op)
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
    flags = _flags(op)
    if flags & {"reassoc", "fast"}:
        masks.append(_out_of_range(op, operands, out))
    if flags & {"arcp", "fast"} and op.name == "arith.divf":
        masks.append(_has_no_reciprocal(operands[1]))
    known = [mask for mask in masks if mask is not None]
    return reduce(np.logical_or, known) if known else None


def is_signless(op: Op) -> bool:
    """Whether the sign of a zero that goes in or comes out may be either."""
    return bool(_flags(op) & {"nsz", "fast"})


def may_be_estimated(op: Op) -> bool:
    """Whether a quotient or a root may come from an estimate of the reciprocal."""
    return op.name in _ESTIMATED and bool(_flags(op) & {"arcp", "afn", "fast"})


def _flags(op: Op) -> frozenset[str]:
    return op.flags("fastmath") if op.has("fastmath") else frozenset()


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
