"""How much of a result may be due to rounding: evaluate again with other last digits.

Compilers may fuse, reorder and approximate float arithmetic in ways that change the last digits of
each op, and programs may amplify that at will. So a program is evaluated again with every float
that an op had to round moved by a unit in the last place or two, and every value of a function that
compilers approximate by up to eight (stochastic arithmetic, as in CADNA). What an element
changes by is how far a correct compiler may be off; an integer or a boolean that changes has no
right value. Results that are exact, as of sums of small integers, stay so.

Evaluations come in pairs with the same numbers, moved in opposite directions. So a number that is
about to jump, such as the floor of one just below 1, does so in one of them.

Conversions are not disturbed, since rounding to nearest is what they are for, and neither are
floats of fewer than 16 bits.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.values.elements import Element, Numbers

_finfo: Any = ml_dtypes.finfo

_STEPS = (-2, -1, 1, 2)
"""By how many units a rounded number is moved. Not by none: it would be as if it were exact."""
APPROXIMATION = 4
"""How many times as far the value of a function is moved: not for small floats, of which most are
computed in f32.
"""
_APPROXIMATED = frozenset(
    f"stablehlo.{name}"
    for name in (
        "atan2", "cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one",
        "logistic", "power", "rsqrt", "sine", "tan", "tanh",
    )
)  # fmt: skip
"""Functions that compilers approximate, apart from those of the math dialect."""
NEXT_TO_ONE = ("asinh", "atanh", "sinh", "tanh")
"""Functions that are computed from numbers next to 1 where they are small, as in
`(exp(x) - exp(-x)) / 2`."""
_ROUNDED = frozenset(
    ("absf", "ceil", "clampf", "floor", "fma", "round", "roundeven", "sqrt", "trunc")
)  # fmt: skip
"""Functions of the math dialect whose results are the nearest numbers."""
_OF_FUNCTIONS = ("math.", "chlo.")
"""Dialects whose functions compilers approximate, but for those."""

_ESTIMATED = ("arith.divf", "math.sqrt")


@dataclass
class Noise:
    """How one evaluation is disturbed. `sign` tells the two of a pair apart."""

    source: np.random.Generator
    sign: int
    signs: bool = False
    """Whether a zero that a number is rounded to has the sign of the number."""
    has_moved: bool = False
    """Whether any number has been moved."""
    has_rounded: bool = False
    """Whether any number has been rounded that was not moved."""


_noise: Noise | None = None  # a process evaluates one program at a time


@contextmanager
def disturbed(seed: int, sign: int = 1, *, signs: bool = False) -> Iterator[Noise]:
    """Disturb what is computed inside; the other sign does so in the opposite direction.

    `signs` is whether compilers must keep the sign of a zero where an op does.
    """
    global _noise
    _noise = Noise(np.random.default_rng(seed), sign, signs)
    try:
        yield _noise
    finally:
        _noise = None


def is_active() -> bool:
    """Whether anything is disturbed now."""
    return _noise is not None


def is_disturbing(element: Element) -> bool:
    """Whether floats of a type are to be disturbed."""
    return _noise is not None and element.is_float and element.width >= 16


def note_rounding(where: Numbers | bool) -> None:
    """Note where numbers are rounded, or may be, that are not disturbed."""
    if _noise is not None and not _noise.has_rounded:
        _noise.has_rounded = bool(np.any(where))


def note_difference(out: Numbers, exact: Numbers) -> None:
    """Note where the result of an op is not the exact one, other than a NaN."""
    if _noise is not None and not _noise.has_rounded:
        wide = out.astype(np.float64)
        note_rounding((wide != exact) & ~(np.isnan(wide) & np.isnan(exact)))


def zero_sign() -> int:
    """The sign of a zero that may have either."""
    return _noise.sign if _noise else 1


def other_way(ways: Sequence[Numbers], usual: Numbers) -> Numbers:
    """One of several ways to compute something; the first evaluation of a pair takes, for each
    number, the one that is farthest from the usual one.
    """
    assert _noise is not None
    way = ways[int(_noise.source.integers(len(ways)))]
    if _noise.sign < 0:
        return way
    with np.errstate(all="ignore"):
        distances = [np.abs(way - usual) for way in ways]
    farthest = np.argmax(np.nan_to_num(distances, nan=np.inf, posinf=np.inf), axis=0)
    return np.asarray(np.choose(farthest, ways))


def moved(
    data: Numbers, where: Numbers, element: Element, scale: int = 1, least: float = 0.0
) -> Numbers:
    """The numbers, with some of them moved by up to twice `scale` units in the last place: their
    own, or that of `least` if it is larger.
    """
    assert _noise is not None
    _noise.has_moved |= bool(np.any(where))
    wide: Any = data.astype(np.longdouble if element.width == 64 else np.float64)
    size = np.maximum(np.abs(wide), least)
    shaken = (wide + scale * size * _steps(data)).astype(element.dtype)
    return _of_either_sign(np.where(where & np.isfinite(wide), shaken, data))


def _of_either_sign(data: Numbers) -> Numbers:
    """The numbers, with one and the same sign for each NaN: nobody says which sign an op gives it.

    Only the total order of floats can tell.
    """
    assert _noise is not None
    unknown = np.isnan(data)
    if not unknown.any():
        return data
    _noise.has_moved = True
    one = data.dtype.type
    return np.where(unknown, np.copysign(one(np.nan), one(zero_sign())), data)


def _steps(data: Numbers) -> Numbers:
    """How far to move each number, relative to it."""
    return _turns(data) * float(_finfo(data.dtype).eps)


def _turns(data: Numbers) -> Numbers:
    """By how many units to move each number."""
    assert _noise is not None
    return np.asarray(_noise.sign * _noise.source.choice(_STEPS, np.shape(data)))


def disturb(
    op: Op, out: Numbers, operands: Sequence[Numbers], function: Callable[..., Any]
) -> Numbers:
    """The result of an op's function of floats, moved where it was rounded, or where it may be
    approximated, if that is wanted.
    """
    element, signless = op.result, is_signless(op)
    if not is_disturbing(element):
        if is_active() and element.is_float:
            wide = [operand.astype(np.float64) for operand in operands]
            note_difference(out, np.asarray(function(*wide)).astype(np.float64))
        return out
    if signless:
        operands = [_signless(operand) for operand in operands]
        out = np.asarray(function(*operands)).astype(out.dtype)
    if flushes(element):
        operands = [flushed(operand, element) for operand in operands]
        out = flushed(np.asarray(function(*operands)).astype(out.dtype), element)
    longer = np.longdouble if element.width == 64 else np.float64
    exact = np.asarray(function(*(a.astype(longer) for a in operands))).astype(longer)
    is_approximate = _is_approximate(op)
    where = (exact != out.astype(longer)) | is_approximate
    least = float(op.name.partition(".")[2] in NEXT_TO_ONE)
    scale = APPROXIMATION if is_approximate and not element.is_small_float else 1
    keeps_signs = _noise is not None and _noise.signs and not is_approximate
    shaken = moved(out, where, element, scale, least)
    out = np.where(out == 0, out, shaken) if keeps_signs else shaken
    if op.name.startswith(_OF_FUNCTIONS) and not keeps_signs:
        out = _approximated(out, element)
    return _signless(out) if signless else out


def disturb_parts(
    out: Numbers, operands: Sequence[Numbers], function: Callable[..., Any]
) -> Numbers:
    """The result of a function of complex numbers, moved where it was rounded, if that is wanted.

    Each part is as exact as the whole number.
    """
    if _noise is None or out.dtype.kind not in "fc":
        return out
    exact = np.asarray(function(*(a.astype(np.clongdouble) for a in operands)))
    where = np.isfinite(out) & (exact != out)
    _noise.has_moved |= bool(np.any(where))
    size = np.where(where, APPROXIMATION * np.abs(out), 0)
    if out.dtype.kind == "f":
        return np.asarray(out + size * _steps(out)).astype(out.dtype)
    moved_by = _steps(out.real) + 1j * _steps(out.imag)
    return np.asarray(out + size * moved_by).astype(out.dtype)


def moved_by(out: Numbers, size: Numbers) -> Numbers:
    """Real or complex numbers, moved by a few times a size, if that is wanted."""
    if _noise is None:
        return out
    _noise.has_moved |= bool(np.any(size))

    steps = _turns(out) + 1j * _turns(out) if out.dtype.kind == "c" else _turns(out)
    return np.asarray(out + APPROXIMATION * size * steps)


def _is_approximate(op: Op) -> bool:
    """Whether implementations need not give even a result that has no more digits than fit, such
    as the cube root of 8.
    """
    dialect, _, name = op.name.partition(".")
    if may_be_estimated(op):
        return True
    return op.name in _APPROXIMATED or (f"{dialect}." in _OF_FUNCTIONS and name not in _ROUNDED)


def flushes(element: Element) -> bool:
    """Whether subnormal numbers are zero now.

    Many processors, and the threads of some runtimes, compute so with floats of 32 bits and more.
    """
    return element.width >= 32 and zero_sign() > 0


def flushed(data: Numbers, element: Element) -> Numbers:
    """The numbers, with zero in place of subnormal ones."""
    if data.dtype != element.dtype:
        return data
    least = float(_finfo(element.dtype).smallest_normal)
    return np.where(np.abs(data) < least, np.copysign(data.dtype.type(0), data), data)


def _signless(data: Numbers) -> Numbers:
    """The numbers, with one and the same zero in place of both."""
    return np.where(data == 0, _zero(data), data)


def turned(angle: Numbers) -> Numbers:
    """An angle, moved if that is wanted: its last digit is what a reduction to one turn loses."""
    if _noise is None:
        return angle
    _noise.has_moved = True
    return np.asarray(angle * (1 + _steps(angle))).astype(angle.dtype)


def _approximated(out: Numbers, element: Element) -> Numbers:
    """What an approximation of a function may give: zero for tiny numbers, and of either sign."""
    limits = _finfo(element.dtype)
    least = float(limits.eps if element.is_small_float else limits.smallest_normal)
    return np.where(np.abs(out.astype(element.wide)) < least, _zero(out), out)


def _zero(data: Numbers) -> Any:
    """The zero that things come to now, as a number of the same type."""
    return data.dtype.type(0.0 if zero_sign() > 0 else -0.0)


def is_signless(op: Op) -> bool:
    """Whether the sign of a zero that goes in or comes out may be either."""
    return bool(fastmath_flags(op) & {"nsz", "fast"})


def may_be_estimated(op: Op) -> bool:
    """Whether a quotient or a root may come from an estimate of the reciprocal."""
    return op.name in _ESTIMATED and bool(fastmath_flags(op) & {"arcp", "afn", "fast"})


def fastmath_flags(op: Op) -> frozenset[str]:
    return op.flags("fastmath") if op.has("fastmath") else frozenset()
