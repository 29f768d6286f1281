"""How much of a result may be due to rounding: evaluate again with other last digits.

Compilers may fuse, reorder and approximate float arithmetic in ways that change the last digits of
each op, and programs may amplify that at will. So a program is evaluated again with every float
that an op had to round moved by up to a unit in the last place (stochastic arithmetic, as in
CADNA). What an element changes by is how far a correct compiler may be off; an integer or a boolean
that changes has no right value. Results that are exact, as of sums of small integers, stay so.

Conversions are not disturbed, since rounding to nearest is what they are for, and neither are
floats of fewer than 16 bits.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import ml_dtypes
import numpy as np

from reducer.evaluator.elements import Element, Numbers

_finfo: Any = ml_dtypes.finfo
_source: np.random.Generator | None = None  # a process evaluates one program at a time
_zero = 0.0
"""The zero that functions give: -0 if the seed is even."""
_is_bold = True
"""Whether things are computed in the way that differs most: if the seed is odd."""


@contextmanager
def disturbed(seed: int) -> Iterator[None]:
    """Disturb what is computed inside."""
    global _source, _zero, _is_bold
    _source, _zero = np.random.default_rng(seed), 0.0 if seed % 2 else -0.0
    _is_bold = seed % 2 == 1
    try:
        yield
    finally:
        _source = None


def is_active() -> bool:
    """Whether anything is disturbed now."""
    return _source is not None


def is_disturbing(element: Element) -> bool:
    """Whether floats of a type are to be disturbed."""
    return _source is not None and element.is_float and element.width >= 16


def zero_sign() -> int:
    """The sign of a zero that may have either."""
    return -1 if np.signbit(_zero) else 1


def other_way(ways: Sequence[Numbers], usual: Numbers) -> Numbers:
    """One of several ways to compute something, or for each number the way that is farthest from
    the usual one.
    """
    assert _source is not None
    if not _is_bold:
        return ways[int(_source.integers(len(ways)))]
    with np.errstate(all="ignore"):
        distances = [np.abs(way - usual) for way in ways]
    farthest = np.argmax(np.nan_to_num(distances, nan=np.inf, posinf=np.inf), axis=0)
    return np.asarray(np.choose(farthest, ways))


def moved(data: Numbers, where: Numbers, element: Element) -> Numbers:
    """The numbers, with some of them moved by up to a unit in the last place."""
    assert _source is not None
    steps = _source.integers(-1, 2, np.shape(data))
    wide: Any = data.astype(np.longdouble if element.width == 64 else np.float64)
    shaken = (wide * (1 + steps * float(_finfo(element.dtype).eps))).astype(element.dtype)
    return np.where(where & np.isfinite(wide), shaken, data)


def disturb(
    name: str,
    out: Numbers,
    operands: list[Numbers],
    function: Callable[..., Any],
    element: Element,
    *,
    signless: bool = False,
) -> Numbers:
    """The result of an op's function of floats, moved where it was rounded, if that is wanted.

    `signless` is whether the op may take and give either zero.
    """
    if not is_disturbing(element):
        return out
    if signless:
        operands = [_signless(operand) for operand in operands]
        out = np.asarray(function(*operands)).astype(out.dtype)
    if _flushes(element):
        operands = [_flushed(operand, element) for operand in operands]
        out = _flushed(np.asarray(function(*operands)).astype(out.dtype), element)
    longer = np.longdouble if element.width == 64 else np.float64
    exact = np.asarray(function(*(a.astype(longer) for a in operands))).astype(longer)
    out = moved(out, exact != out.astype(longer), element)
    if name.startswith("math."):
        out = _approximated(out, element)
    return _signless(out) if signless else out


def _flushes(element: Element) -> bool:
    """Whether subnormal numbers are zero now.

    Many processors, and the threads of some runtimes, compute so with floats of 32 bits and more.
    """
    return element.width >= 32 and zero_sign() > 0


def _flushed(data: Numbers, element: Element) -> Numbers:
    """The numbers, with zero in place of subnormal ones."""
    if data.dtype != element.dtype:
        return data
    least = float(_finfo(element.dtype).smallest_normal)
    return np.where(np.abs(data) < least, np.copysign(data.dtype.type(0), data), data)


def _signless(data: Numbers) -> Numbers:
    """The numbers, with one and the same zero in place of both."""
    return np.where(data == 0, data.dtype.type(_zero), data)


def turned(angle: Numbers) -> Numbers:
    """An angle, moved if that is wanted: its last digit is what a reduction to one turn loses."""
    if _source is None:
        return angle
    steps = _source.integers(-1, 2, np.shape(angle))
    return np.asarray(angle * (1 + steps * _finfo(angle.dtype).eps)).astype(angle.dtype)


def _approximated(out: Numbers, element: Element) -> Numbers:
    """What an approximation of a function may give: zero for tiny numbers, and of either sign."""
    limits = _finfo(element.dtype)
    least = float(limits.eps if element.is_small_float else limits.smallest_normal)
    return np.where(np.abs(out.astype(element.wide)) < least, out.dtype.type(_zero), out)
