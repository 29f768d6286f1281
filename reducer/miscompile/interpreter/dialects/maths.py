"""The math dialect.

Source: MLIR language reference, 'math' dialect. Where the precision of a function is not specified,
NumPy's is used, which is right to a few units in the last place.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from reducer.miscompile.interpreter.dialects.arith_floats import floating, overflows
from reducer.miscompile.interpreter.floats import maximum, minimum, promised
from reducer.miscompile.interpreter.noise import disturb, turned
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import elementwise, op
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.values.elements import Numbers, signed, unsigned, wrapped

_finfo: Any = ml_dtypes.finfo
_UFUNCS = {
    "absf": np.abs, "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin,
    "asinh": np.arcsinh, "atan": np.arctan, "atanh": np.arctanh, "atan2": np.arctan2,
    "cbrt": np.cbrt, "ceil": np.ceil, "cosh": np.cosh,
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "floor": np.floor, "log": np.log,
    "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "powf": np.power,
    "roundeven": np.rint, "sinh": np.sinh, "sqrt": np.sqrt, "tanh": np.tanh, "trunc": np.trunc,
}  # fmt: skip
DETOURS: dict[str, Callable[[Numbers], Numbers]] = {
    "acosh": np.square, "asinh": np.square,
    "cosh": lambda a: np.exp(np.abs(a)), "sinh": lambda a: np.exp(np.abs(a)),
}  # fmt: skip
"""What functions are usually computed from, as in `log(x + sqrt(x * x + 1))`."""

for _name, _ufunc in _UFUNCS.items():
    _detour = DETOURS.get(_name)
    floating(f"math.{_name}", unclear=_detour and partial(overflows, _detour))(_ufunc)


COARSE = 0.01
"""The distance between neighboring arguments from which on a periodic function has no meaning."""


def periodic(*names: str, function: Any, has_poles: bool = False) -> None:
    """Register a function that is poison for arguments too large to tell its phase, and so close to
    a pole that the next argument gives something else.

    No precision is specified for them, and implementations reduce them in different ways.
    """

    @elementwise(*names)
    def run(op: Op, a: Numbers) -> tuple[Numbers, Numbers]:
        wide = a.astype(op.operand.wide, copy=False)
        out = np.asarray(function(turned(wide))).astype(op.result.dtype, copy=False)
        out = disturb(op, out, [wide], function)
        broken = promised(op, a, out)
        coarse = has_no_phase(wide, out if has_poles else None)
        return out, coarse if broken is None else coarse | broken


def has_no_phase(angle: Numbers, tangent: Numbers | None = None) -> Numbers:
    """For which angles nobody can tell what a periodic function should give, or what a tangent."""
    coarse = is_coarse(angle)
    if tangent is not None:  # its derivative is its square next to a pole
        coarse = coarse | is_coarse(angle * tangent.astype(angle.dtype))
    return coarse


def is_coarse(a: Numbers) -> Numbers:
    """Which numbers are farther from their neighbors than `COARSE`."""
    return np.asarray(np.isfinite(a) & (np.abs(a) * float(_finfo(a.dtype).eps) > COARSE))


periodic("math.sin", "stablehlo.sine", function=np.sin)
periodic("math.cos", "stablehlo.cosine", function=np.cos)
periodic("math.tan", "stablehlo.tan", function=np.tan, has_poles=True)


def _each(function: Any) -> Any:
    """A function of Python's math module for arrays."""
    return np.vectorize(function, otypes=[np.float64])


floating("math.erf")(_each(math.erf))
floating("math.erfc")(_each(math.erfc))
floating("math.rsqrt")(lambda a: 1 / np.sqrt(a))
floating("math.fma")(lambda a, b, c: a.astype(np.float64) * b + c)
floating("math.clampf")(lambda a, low, high: minimum(maximum(a, low), high))


@floating("math.round", "stablehlo.round_nearest_afz")
def round_away(a: Numbers) -> Numbers:
    """To the nearest integer, and halves away from zero."""
    size = np.abs(a)
    whole = np.trunc(size)
    return np.asarray(np.copysign(whole + (size - whole >= 0.5), a))


@elementwise("math.copysign")
def copysign(op: Op, a: Numbers, sign: Numbers) -> tuple[Numbers, Numbers]:
    """The sign of a NaN is not defined."""
    wide = op.operand.wide
    out = np.copysign(a.astype(wide, copy=False), sign.astype(wide, copy=False))
    broken = promised(op, a, sign)
    unknown = np.isnan(sign) if broken is None else np.isnan(sign) | broken
    return np.asarray(out).astype(op.result.dtype, copy=False), unknown


for _name, _test in (("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)):

    @elementwise(f"math.{_name}")
    def _class(op: Op, a: Numbers, test: Any = _test) -> Numbers:
        return np.asarray(test(a.astype(op.operand.wide, copy=False)))


@elementwise("math.isnormal")
def isnormal(op: Op, a: Numbers) -> Numbers:
    wide = np.abs(a.astype(np.float64))
    least = _finfo(op.operand.dtype).smallest_normal
    return np.asarray((wide >= float(least)) & np.isfinite(wide))


@op("math.sincos", batched=True)
def sincos(frame: Any, op: Op, a: Array) -> tuple[Array, Array]:
    wide = a.data.astype(op.operand.wide, copy=False)
    poison, angle = a.mask() | is_coarse(wide), turned(wide)
    found = ((function, function(angle)) for function in (np.sin, np.cos))
    sine, cosine = (
        Array(disturb(op, out.astype(op.result.dtype), [wide], function), poison)
        for function, out in found
    )
    return sine, cosine


@elementwise("math.fpowi")
def fpowi(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers | None]:
    """An odd power has the sign of its base, even if a float does not tell that it is odd."""
    size, power = np.abs(a.astype(op.operand.wide)), signed(b).astype(np.float64)
    out = np.asarray(np.power(size.astype(np.float64), power)).astype(op.result.dtype)
    out = disturb(op, out, [size, power], np.power)
    wide = out.astype(op.operand.wide)
    out = np.where(np.signbit(a.astype(op.operand.wide)) & (signed(b) & 1 != 0), -wide, wide)
    return np.asarray(out).astype(op.result.dtype), promised(op, a, out)


@elementwise("math.absi")
def absi(op: Op, a: Numbers) -> Numbers:
    return wrapped(np.abs(signed(a)), op.result)


@elementwise("math.ipowi")
def ipowi(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    """By squaring; a negative power of 1 or -1 is what it is, of 0 poison, and else 0."""
    base, power = signed(a).astype(np.int64), signed(b).astype(np.int64)
    base, power = np.broadcast_arrays(base, power)
    out = np.ones(base.shape, np.int64)
    square, left = base.copy(), np.maximum(power, 0)
    while left.any():
        out = np.where(left & 1, out * square, out)
        square, left = square * square, left >> 1
    inverse = np.where(base == 1, 1, np.where(base == -1, np.where(power & 1, -1, 1), 0))
    out = np.where(power < 0, inverse, out)
    return wrapped(out, op.result), (power < 0) & (base == 0)


@elementwise("math.ctpop", "stablehlo.popcnt")
def ctpop(op: Op, a: Numbers) -> Numbers:
    bits = unsigned(a, op.operand)
    out = np.zeros(np.shape(a), np.int64)
    for place in range(op.operand.width):
        out += (bits >> bits.dtype.type(place)).astype(np.int64) & 1
    return wrapped(out, op.result)


@elementwise("math.ctlz", "stablehlo.count_leading_zeros")
def ctlz(op: Op, a: Numbers) -> Numbers:
    """Zeros above the highest bit that is set."""
    bits = unsigned(a, op.operand)
    out = np.zeros(np.shape(a), np.int64)
    for place in range(op.operand.width):
        out += bits >> bits.dtype.type(place) == 0
    return wrapped(out, op.result)


@elementwise("math.cttz")
def cttz(op: Op, a: Numbers) -> Numbers:
    """Zeros below the lowest bit that is set."""
    bits = unsigned(a, op.operand)
    out = np.zeros(np.shape(a), np.int64)
    for place in range(op.operand.width):
        low = bits.dtype.type((2 << place) - 1)
        out += (bits & low) == 0
    return wrapped(out, op.result)
