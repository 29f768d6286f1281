"""Casts and constants of the arith dialect.

Source: MLIR language reference, 'arith' dialect. A float outside the range of an integer type, and
a truncation that breaks nsw or nuw, make poison.
"""

from typing import Any

import numpy as np

from reducer.miscompile.interpreter.constants import constant as constant_of
from reducer.miscompile.interpreter.floats import promised
from reducer.miscompile.interpreter.noise import note_difference
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import elementwise, elementwise_rows, op
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.values.elements import (
    Numbers,
    from_bits,
    signed,
    to_bits,
    unsigned,
    wrapped,
)


@op(
    "arith.constant",
    "complex.constant",
    "flow.tensor.constant",
    "llvm.mlir.constant",
    "stablehlo.constant",
    "util.constant",
    batched=True,
)
def constant(frame: Any, op: Op) -> Array:
    """The attribute is parsed once, however often the op runs."""
    found: Array | None = op.__dict__.get("constant")
    if found is None:
        type_ = op.result_types[0]
        found = Array(read_attribute(op, op.text("value"), type_.text))
        op.__dict__["constant"] = found
    return found


def read_attribute(op: Op, text: str, kind: str) -> Numbers:
    """The numbers of an attribute of a type."""
    if kind.startswith("complex<") and text.startswith("["):
        parts = [constant_of(part.strip(), op.program) for part in text[1:-1].split(",")]
        return np.asarray((parts[0] + 1j * parts[1]).astype(op.result.dtype))
    return constant_of(text, op.program, kind)


@elementwise("arith.extui", "arith.index_castui")
def extui(op: Op, a: Numbers) -> tuple[Numbers, Numbers | None]:
    negative = signed(a) < 0 if op.has("nonNeg") else None
    return wrapped(unsigned(a, op.operand), op.result), negative


@elementwise("arith.trunci")
def trunci(op: Op, a: Numbers) -> tuple[Numbers, Numbers | None]:
    out = wrapped(signed(a), op.result)
    flags = op.flags("overflowFlags")
    poison = None
    if "nsw" in flags:
        poison = signed(out) != signed(a)
    if "nuw" in flags:
        lost = unsigned(out, op.result) != unsigned(a, op.operand)
        poison = lost if poison is None else poison | lost
    return out, poison


@elementwise("arith.extf", "arith.truncf", "arith.scaling_extf_unscaled")
def convert_float(op: Op, a: Numbers) -> tuple[Numbers, Numbers | None]:
    """Rounds to nearest even. What a type without them makes of infinities and NaN is open."""
    out = a.astype(op.result.dtype)
    note_difference(out, a.astype(np.float64))
    lost = ~_is_finite(a) & _is_finite(out)
    broken = promised(op, a, out)
    return out, lost if broken is None else lost | broken


def _is_finite(numbers: Numbers) -> Numbers:
    return np.asarray(np.isfinite(numbers.astype(np.float64)))


@elementwise("arith.uitofp")
def uitofp(op: Op, a: Numbers) -> tuple[Numbers, Numbers | None]:
    negative = signed(a) < 0 if op.has("nonNeg") else None
    return _to_float(unsigned(a, op.operand), op), negative


def _to_float(a: Numbers, op: Op) -> Numbers:
    """Through f64 for small floats, which holds 53 bits, so that rounding happens once."""
    wide = a.astype(np.float64)
    out = wide.astype(op.result.dtype) if op.result.is_small_float else a.astype(op.result.dtype)
    note_difference(out, wide)
    return out


def to_integer(a: Numbers, op: Op, least: int, most: int) -> tuple[Numbers, Numbers]:
    """Floats rounded to zero, and where they are not in the range of the result's type."""
    wide = np.trunc(a.astype(np.float64))
    outside = ~((wide >= least) & (wide < float(most + 1)))
    inside = np.where(outside, 0.0, wide)
    kind = np.uint64 if least == 0 else np.int64
    return wrapped(inside.astype(kind).astype(np.int64), op.result), outside


elementwise_rows(
    {
        "arith.extsi arith.index_cast": lambda op, a: wrapped(signed(a), op.result),
        "arith.sitofp": lambda op, a: _to_float(signed(a), op),
        "arith.fptosi": lambda op, a: to_integer(a, op, op.result.lowest, op.result.highest),
        "arith.fptoui": lambda op, a: to_integer(a, op, 0, (1 << op.result.width) - 1),
    }
)


@elementwise("arith.bitcast", "complex.bitcast")
def bitcast(op: Op, a: Numbers) -> Any:
    """Which NaN an op makes is not defined, so neither are the bits of one."""
    if op.operand.dtype.kind == "c" or op.result.dtype.kind == "c":
        return np.ascontiguousarray(a).view(op.result.dtype).reshape(np.shape(a))
    out = from_bits(to_bits(np.asarray(a), op.operand), op.result)
    return (out, np.isnan(a)) if op.operand.is_float and op.result.is_integer else out
