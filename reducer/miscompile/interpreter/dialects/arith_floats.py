"""Float ops of the arith dialect.

Source: MLIR language reference, 'arith' dialect. Floats of fewer than 32 bits are computed in f32
and rounded, which gives the correctly rounded result. What their fast-math flags leave open is in
`reducer.miscompile.interpreter.floats`.
"""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from reducer.miscompile.interpreter.floats import (
    maximum,
    maxnum,
    minimum,
    minnum,
    promised,
    unsettled,
)
from reducer.miscompile.interpreter.noise import disturb
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import elementwise
from reducer.miscompile.values.elements import Numbers

_finfo: Any = ml_dtypes.finfo


def floating(
    *names: str, unclear: Callable[..., Numbers] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of floats; it gets f32 for smaller ones, and its result is rounded.

    `unclear` says for which operands a result other than an infinity is open.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @elementwise(*names)
        def run(op: Op, *operands: Numbers) -> tuple[Numbers, Numbers | None]:
            wide = op.operand.wide
            given = [a.astype(wide, copy=False) for a in operands]
            out = np.asarray(function(*given)).astype(op.result.dtype, copy=False)
            out = disturb(op, out, given, function)
            unknown = unsettled(op, list(operands), out)
            if unclear is None:
                return out, unknown
            lost = unclear(*operands) & ~np.isinf(out)
            return out, lost if unknown is None else lost | unknown

        return function

    return register


def overflows(detour: Callable[[Numbers], Numbers], data: Numbers) -> Numbers:
    """Which finite numbers have an intermediate result that is too large for their type.

    No precision is specified for functions, and simple implementations give an infinity there.
    """
    with np.errstate(all="ignore"):
        size = np.abs(detour(data.astype(np.longdouble)))
    return np.asarray(np.isfinite(data) & (size > float(_finfo(data.dtype).max)))


def has_no_remainder(a: Numbers, b: Numbers) -> Numbers:
    """Where `a - trunc(a / b) * b`, as many implementations compute it, is no remainder: the
    quotient has no digits after the point, or the divisor is infinite.
    """
    with np.errstate(all="ignore"):
        quotient = np.abs(a.astype(np.longdouble) / b.astype(np.longdouble))
    return np.asarray(np.isinf(b) | (quotient * float(_finfo(a.dtype).eps) > 1))


floating("arith.addf")(lambda a, b: a + b)
floating("arith.subf")(lambda a, b: a - b)
floating("arith.mulf")(lambda a, b: a * b)
floating("arith.divf")(lambda a, b: np.divide(a, b))
floating("arith.remf", unclear=has_no_remainder)(np.fmod)
floating("arith.negf")(lambda a: -a)
floating("arith.maximumf")(maximum)
floating("arith.minimumf")(minimum)
floating("arith.maxnumf", "arith.maxf")(maxnum)
floating("arith.minnumf", "arith.minf")(minnum)

_PREDICATES: list[Callable[[Any, Any], Any]] = [
    lambda a, b: np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)), np.bool_),
    lambda a, b: a == b,  # oeq
    lambda a, b: a > b,
    lambda a, b: a >= b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: (a < b) | (a > b),  # one
    lambda a, b: ~(np.isnan(a) | np.isnan(b)),  # ord
    lambda a, b: ~((a < b) | (a > b)),  # ueq
    lambda a, b: ~(a <= b),
    lambda a, b: ~(a < b),
    lambda a, b: ~(a >= b),
    lambda a, b: ~(a > b),
    lambda a, b: a != b,  # une
    lambda a, b: np.isnan(a) | np.isnan(b),  # uno
    lambda a, b: np.ones(np.broadcast_shapes(np.shape(a), np.shape(b)), np.bool_),
]


@elementwise("arith.cmpf")
def cmpf(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers | None]:
    wide = op.operand.wide
    left, right = a.astype(wide, copy=False), b.astype(wide, copy=False)
    out = np.asarray(_PREDICATES[op.integer("predicate")](left, right))
    return out, promised(op, left, right)
