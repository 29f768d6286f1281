"""Ops of StableHLO that treat each element alike, except those that `math` has as well.

Source: the StableHLO specification (https://openxla.org/stablehlo/spec). What it calls
implementation-defined (an integer division by zero, a shift by the width or more, a conversion to
an integer that does not hold the number) is poison here: any number is right.
"""

import re
from typing import Any

import ml_dtypes
import numpy as np

from reducer.miscompile.interpreter.dialects.arith_casts import to_integer
from reducer.miscompile.interpreter.dialects.arith_floats import floating, has_no_remainder
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.floats import maximum, minimum
from reducer.miscompile.interpreter.noise import disturb, note_difference
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import elementwise, elementwise_rows, rows, terminators
from reducer.miscompile.interpreter.values import Array, merged
from reducer.miscompile.values.elements import (
    Element,
    Numbers,
    from_bits,
    signed,
    to_bits,
    unsigned,
    wrapped,
)

terminators(["stablehlo.return"])

_finfo: Any = ml_dtypes.finfo


# ---- one operand --------------------------------------------------------------------------------


_FLOATS: dict[str, Any] = {
    "ceil": np.ceil, "floor": np.floor,
    "exponential": np.exp, "exponential_minus_one": np.expm1, "log": np.log,
    "log_plus_one": np.log1p, "sqrt": np.sqrt, "cbrt": np.cbrt, "tanh": np.tanh,
    "rsqrt": lambda a: 1 / np.sqrt(a), "logistic": lambda a: 1 / (1 + np.exp(-a)),
    "round_nearest_even": np.rint,
}  # fmt: skip
for _name, _function in _FLOATS.items():
    floating(f"stablehlo.{_name}")(_function)
floating("stablehlo.atan2")(np.arctan2)


def _value(a: Numbers, element: Element) -> Numbers:
    """The numbers as the spec sees them: without a sign for `ui` types, small floats as f32."""
    if element.is_integer:
        return unsigned(a, element) if element.unsigned or element.width == 1 else a
    return a.astype(element.wide, copy=False)


def _stored(a: Numbers, element: Element) -> Numbers:
    return wrapped(a, element) if element.is_integer else np.asarray(a).astype(element.dtype)


def _rounded(op: Op, compute: Any, *operands: Numbers) -> Numbers:
    """What a function computes, moved by rounding if that is wanted."""
    out = _stored(compute(*operands), op.result)
    return disturb(op, out, operands, compute) if op.result.is_float else out


elementwise_rows(
    {
        "stablehlo.negate": lambda op, a: _stored(-_value(a, op.operand), op.result),
        "stablehlo.abs": lambda op, a: _stored(np.abs(_value(a, op.operand)), op.result),
        "stablehlo.is_finite": lambda op, a: np.asarray(np.isfinite(_value(a, op.operand))),
        "stablehlo.real": lambda op, a: np.real(a),
        "stablehlo.imag": lambda op, a: np.imag(a),
        "stablehlo.complex": lambda op, a, b: np.asarray(a + 1j * b).astype(op.result.dtype),
        "stablehlo.not": lambda op, a: np.asarray(~a),
        "stablehlo.and": lambda op, a, b: np.asarray(a & b),
        "stablehlo.or": lambda op, a, b: np.asarray(a | b),
        "stablehlo.xor": lambda op, a, b: np.asarray(a ^ b),
    }
)


@elementwise("stablehlo.sign")
def sign(op: Op, a: Numbers) -> Numbers:
    """Of a zero it is that zero, of NaN it is NaN."""
    value = _value(a, op.operand)
    out = np.sign(value)
    if op.operand.is_float:
        out = np.where(value == 0, value, out)
    return _stored(out, op.result)


# ---- two operands -------------------------------------------------------------------------------

_EXTREMA = {"stablehlo.maximum": maximum, "stablehlo.minimum": minimum}
_RINGS = {"stablehlo.add": np.add, "stablehlo.subtract": np.subtract,
          "stablehlo.multiply": np.multiply}  # fmt: skip


@elementwise(*_RINGS, *_EXTREMA)
def arithmetic(op: Op, a: Numbers, b: Numbers) -> Numbers:
    """Of booleans, a sum is `or`, and a product is `and`."""
    element = op.operand
    if element.width == 1 and op.name in ("stablehlo.add", "stablehlo.multiply"):
        return np.asarray(a | b if op.name.endswith("add") else a & b)
    compute: Any = _RINGS.get(op.name) or _EXTREMA[op.name]
    return _rounded(op, compute, _value(a, element), _value(b, element))


@elementwise("stablehlo.divide", "stablehlo.remainder")
def divide(op: Op, a: Numbers, b: Numbers) -> Any:
    """Of integers it is rounded to zero; the remainder has the sign of the dividend."""
    element, divides = op.operand, op.name.endswith("divide")
    left, right = _value(a, element), _value(b, element)
    if not element.is_integer:
        out = _rounded(op, np.divide if divides else np.fmod, left, right)
        return out, has_no_remainder(a, b) if element.is_float and not divides else None
    bad = right == 0
    if not element.unsigned and element.width > 1:
        bad = bad | ((left == element.lowest) & (right == -1))
    safe = np.where(bad, right.dtype.type(1), right)
    rest = np.fmod(left, safe)
    return _stored((left - rest) // safe if divides else rest, op.result), bad


@elementwise("stablehlo.power")
def power(op: Op, a: Numbers, b: Numbers) -> Any:
    element = op.operand
    left, right = _value(a, element), _value(b, element)
    if not element.is_integer:
        return _rounded(op, np.power, left, right)
    base, count = np.broadcast_arrays(left.astype(object), right.astype(object))
    modulus = 1 << element.width
    found = [
        pow(int(x), int(n), modulus) if n >= 0 else {1: 1, -1: -1 if n % 2 else 1}.get(int(x), 0)
        for x, n in zip(base.flat, count.flat, strict=True)
    ]
    bits = np.array([n % modulus for n in found], np.uint64).astype(np.int64)
    return wrapped(bits.reshape(base.shape), op.result), np.asarray((right < 0) & (left == 0))


@elementwise(
    "stablehlo.shift_left", "stablehlo.shift_right_arithmetic", "stablehlo.shift_right_logical"
)
def shift(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    element, count = op.operand, unsigned(b, op.operand).astype(np.uint64)
    bad = count >= element.width
    places = np.where(bad, 0, count).astype(np.int64)
    if op.name.endswith("left"):
        out = signed(a).astype(np.int64) << places
    elif op.name.endswith("arithmetic"):
        out = signed(a).astype(np.int64) >> places
    else:
        out = (unsigned(a, element).astype(np.uint64) >> places.astype(np.uint64)).astype(np.int64)
    return wrapped(out, op.result), np.asarray(bad)


_DIRECTION = re.compile(r"\b(EQ|NE|LT|LE|GT|GE)\b")
_COMPARE: dict[str, Any] = {
    "EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal,
    "GT": np.greater, "GE": np.greater_equal,
}  # fmt: skip


@elementwise("stablehlo.compare")
def compare(op: Op, a: Numbers, b: Numbers) -> Numbers:
    """TOTALORDER is -NaN < -inf < … < -0 < +0 < … < inf < NaN."""
    match = _DIRECTION.search(op.text("comparison_direction"))
    if match is None:
        raise Unsupported([f"{op.name} {op.text('comparison_direction')}"])
    if "TOTALORDER" in op.text("compare_type") and op.operand.is_float:
        left, right = _ordered(a, op.operand), _ordered(b, op.operand)
    else:
        left, right = _value(a, op.operand), _value(b, op.operand)
    return np.asarray(_COMPARE[match[1]](left, right))


def _ordered(a: Numbers, element: Element) -> Numbers:
    """Integers in the total order of floats."""
    bits = to_bits(np.asarray(a), element).astype(np.int64)
    if element.width == 64:
        return np.where(bits < 0, bits ^ np.int64((1 << 63) - 1), bits)
    top = 1 << (element.width - 1)
    return np.where(bits & top, -(bits & (top - 1)) - 1, bits)


# ---- selections and conversions -----------------------------------------------------------------


def _clamped(op: Op, *given: Array) -> Array:
    low, data, high = (_value(one.data, op.result) for one in given)
    return Array(_stored(minimum(maximum(data, low), high), op.result), merged(*given))


# The condition, and the limits, may be one number for all elements.
rows(
    {"stablehlo.select": lambda op, *given: np.where(*given), "stablehlo.clamp": _clamped},
    batched=True,
)


@elementwise("stablehlo.convert")
def convert(op: Op, a: Numbers) -> Any:
    """Floats are rounded to nearest even, integers from floats to zero; booleans are 0 and 1."""
    given, wanted = op.operand, op.result
    value = _value(a, given)
    if wanted.width == 1 and wanted.is_integer:
        return np.asarray(value != 0)
    if not wanted.is_integer:
        exact = value.astype(np.float64) if given.is_integer and wanted.is_small_float else value
        out = np.asarray(exact).astype(wanted.dtype)
        if given.dtype.kind != "c" and wanted.is_float:
            note_difference(out, np.asarray(value).astype(np.float64))
        return out
    if given.is_integer:
        return wrapped(np.asarray(value).astype(np.int64), wanted)
    if given.dtype.kind == "c":
        value = value.real
    if wanted.unsigned:
        return to_integer(value, op, 0, (1 << wanted.width) - 1)
    return to_integer(value, op, wanted.lowest, wanted.highest)


@elementwise("stablehlo.bitcast_convert")
def bitcast(op: Op, a: Numbers) -> Any:
    if op.operand.width != op.result.width:
        raise Unsupported([f"{op.name} to another width"])
    out = from_bits(to_bits(np.asarray(a), op.operand), op.result)
    return (out, np.isnan(a)) if op.operand.is_float and op.result.is_integer else out


@elementwise("stablehlo.reduce_precision")
def reduce_precision(op: Op, a: Numbers) -> tuple[Numbers, Numbers]:
    """As numbers of a format with fewer bits, without subnormal ones; there may be no NaN in it."""
    limits = _finfo(op.operand.dtype)
    exponent, mantissa = op.integer("exponent_bits"), op.integer("mantissa_bits")
    value = a.astype(np.float64)
    parts, powers = np.frexp(value)
    digits = min(mantissa, int(limits.nmant)) + 1
    out = np.ldexp(np.rint(np.ldexp(parts, digits)), powers - digits)
    most = (1 << (exponent - 1)) - 1
    if exponent < int(limits.bits) - 1 - int(limits.nmant):
        out = np.where(np.abs(out) >= 2.0 ** (most + 1), np.copysign(np.inf, value), out)
        out = np.where(np.abs(out) < 2.0 ** (1 - most), np.copysign(0.0, value), out)
    out = np.where(np.isfinite(value), out, value)
    subnormal = (value != 0) & (np.abs(value) < float(limits.smallest_normal))
    return out.astype(op.result.dtype), subnormal | (np.isnan(value) & (mantissa == 0))
