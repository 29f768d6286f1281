"""Sums of products: as matrix products, in other orders, and which of them are exact.

NumPy has fast code for matrix products only.

Disturbed evaluations (`noise.py`) show most of what is exact, so that every correct compiler gives
the same: what they do not change was not rounded. Rounding that they do not disturb is noted
instead: that of conversions, arithmetic on floats of fewer than 16 bits, and sums of small floats,
which are exact in any order only if all numbers that may be met on the way have few enough digits.

The order of a reduction is not part of its meaning for compilers that vectorize or tile it. Mostly
it makes a difference in the last digits. Where it makes a larger one (a large number absorbs small
ones before it is subtracted again, or each step rounds away half of the digits), no single result
is the right one. So a disturbed evaluation reduces in another order, too. Two of the orders take
one element after the other: that loses more digits than NumPy's, which combines halves, and is what
a program does that nobody optimizes. Another one takes the positive numbers of a sum before the
negative ones, and the large factors of a product before the small ones: what can overflow does so
there.
"""

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from reducer.miscompile.interpreter.noise import (
    is_active,
    moved,
    note_rounding,
    other_way,
    zero_sign,
)
from reducer.miscompile.values.elements import Element, Numbers

MAX_COPY = 1 << 25
"""The maximum number of elements that a factor takes when its windows are written out."""

_EXACT = 1 << 53
"""Integers below this are exact in f64, whose matrix product is much faster."""


def contract(
    left: Numbers, right: Numbers, sizes: tuple[int, ...], reduced: tuple[int, ...]
) -> Numbers | None:
    """The sum of `left * right` along some loops, whose axes stay with size 1.

    Each axis of the factors has the size of the loop, or 1 if the factor does not depend on it.
    None if a loop is reduced on which at most one factor depends.
    """
    loops = range(len(sizes))
    a, b = padded(left, len(sizes)), padded(right, len(sizes))
    in_a = [a.shape[n] != 1 or sizes[n] == 1 for n in loops]
    in_b = [b.shape[n] != 1 or sizes[n] == 1 for n in loops]
    if any(not (in_a[n] and in_b[n]) for n in reduced):
        return None
    if any(not (in_a[n] or in_b[n]) for n in loops):
        return None
    kept = [n for n in loops if n not in reduced]
    batch = [n for n in kept if in_a[n] and in_b[n]]
    rows = [n for n in kept if in_a[n] and not in_b[n]]
    columns = [n for n in kept if in_b[n] and not in_a[n]]
    for split in (rows, columns, batch):
        if max(a.size, b.size) > MAX_COPY and split and sizes[split[0]] > 1:
            return _halves(a, b, sizes, reduced, split[0])

    def count(group: list[int] | tuple[int, ...]) -> int:
        return int(np.prod([sizes[n] for n in group], dtype=np.int64))

    def arranged(data: Numbers, order: list[int], shape: tuple[int, ...]) -> Numbers:
        rest = [n for n in loops if n not in order]
        return np.transpose(data, [*order, *rest]).reshape(shape)

    lefts = arranged(a, [*batch, *rows, *reduced], (count(batch), count(rows), count(reduced)))
    rights = arranged(
        b, [*batch, *reduced, *columns], (count(batch), count(reduced), count(columns))
    )
    out = _product(lefts, rights)
    order = [*batch, *rows, *columns]
    out = out.reshape([sizes[n] for n in order])
    moved = np.transpose(out, [order.index(n) for n in kept])
    return np.asarray(moved).reshape([1 if n in reduced else sizes[n] for n in loops])


def padded(data: Numbers, loops: int) -> Numbers:
    """A factor with an axis for each loop."""
    return data.reshape((1,) * (loops - data.ndim) + data.shape) if data.ndim < loops else data


def _halves(
    a: Numbers, b: Numbers, sizes: tuple[int, ...], reduced: tuple[int, ...], axis: int
) -> Numbers | None:
    middle = sizes[axis] // 2
    parts: list[Any] = []
    for start, stop in ((0, middle), (middle, sizes[axis])):
        where = (slice(None),) * axis + (slice(start, stop),)
        pair = [data[where] if data.shape[axis] != 1 else data for data in (a, b)]
        smaller = (*sizes[:axis], stop - start, *sizes[axis + 1 :])
        parts.append(contract(pair[0], pair[1], smaller, reduced))
    if any(part is None for part in parts):
        return None
    return np.concatenate(parts, axis)


def _product(a: Numbers, b: Numbers) -> Numbers:
    if a.dtype.kind == "i":
        terms = a.shape[2]
        largest = _magnitude(a) * _magnitude(b) * max(terms, 1)
        if largest < _EXACT:
            exact = np.matmul(a.astype(np.float64), b.astype(np.float64))
            return np.asarray(exact.astype(np.int64).astype(a.dtype))
    return np.asarray(np.matmul(a, b))


def _magnitude(data: Numbers) -> int:
    return max(abs(int(data.max())), abs(int(data.min()))) if data.size else 0


_finfo: Any = ml_dtypes.finfo


@dataclass
class AnyOrder:
    """One sum of small floats, to find out whether it is exact in any order.

    That is so if the sum of the sizes of all numbers, in units of the largest power of two that
    divides them all, has no more digits than the type.
    """

    element: Element
    size: Numbers
    quantum: float

    @staticmethod
    def start(element: Element, initial: Numbers) -> "AnyOrder | None":
        """Start from the initial values; None unless this evaluation is a disturbed one."""
        if not is_active() or not element.is_small_float:
            return None
        size = np.abs(initial.astype(np.float64))
        return AnyOrder(element, size, _quantum(size))

    def fold(self, where: tuple[Any, ...], data: Numbers, axes: tuple[int, ...]) -> None:
        """Add the numbers along some axes to a part of the output."""
        size = np.abs(data.astype(np.float64))
        self.quantum = min(self.quantum, _quantum(size))
        self.size[where] += size.sum(axis=axes, keepdims=True)

    def contract(
        self, left: Numbers, right: Numbers, sizes: tuple[int, ...], axes: tuple[int, ...]
    ) -> None:
        """Add a sum of products."""
        a, b = np.abs(left.astype(np.float64)), np.abs(right.astype(np.float64))
        found = contract(a, b, sizes, axes)
        self.quantum = min(self.quantum, _quantum(a) * _quantum(b))
        self.size = self.size + (np.inf if found is None else found)

    def note(self) -> None:
        """Note whether another order may round."""
        limits = _finfo(self.element.dtype)
        most = min(self.quantum * 2.0 ** (int(limits.nmant) + 1), float(limits.max))
        is_fine = self.quantum >= float(limits.smallest_subnormal)
        note_rounding(not is_fine or bool(np.any(~(self.size <= most))))


def _quantum(size: Numbers) -> float:
    """The largest power of two that divides all numbers; infinite if all are zero, and zero if one
    is not finite.
    """
    if not np.all(np.isfinite(size)):
        return 0.0
    parts, powers = np.frexp(size[size != 0])
    if not parts.size:
        return float(np.inf)
    digits = np.ldexp(parts, 53).astype(np.int64)
    lowest = np.log2((digits & -digits).astype(np.float64)).astype(np.int64)
    return float(2.0 ** float((powers - 53 + lowest).min()))


MAX_PRODUCTS = 1 << 31
"""The number of products in a contraction above which it is computed in one order only."""

_MAX_STEPS = 1 << 22
"""The number of products up to which they are added one after the other."""


@dataclass
class OtherOrders:
    """One output, reduced in f64, and in f32 or more from the first element to the last, from the
    last to the first, and as what makes it larger (`high`) and what makes it smaller (`low`).
    """

    ufunc: Any
    element: Element
    exact: Numbers
    forwards: Numbers
    backwards: Numbers
    high: Numbers
    low: Numbers
    is_known: bool = True
    is_parted: bool = True

    @staticmethod
    def start(ufunc: Any, element: Element, initial: Numbers) -> "OtherOrders":
        wide = initial.astype(element.wide)
        parts = _parts(ufunc, wide)
        return OtherOrders(ufunc, element, initial.astype(np.float64), wide, wide.copy(), *parts)

    def fold(self, where: tuple[Any, ...], data: Numbers, axes: tuple[int, ...]) -> None:
        """Combine the elements along some axes with what is in a part of the output."""
        exact = self.ufunc.reduce(data.astype(np.float64), axis=axes, keepdims=True)
        self.exact[where] = self.ufunc(self.exact[where], exact)
        wide = data.astype(self.element.wide)
        self.forwards[where] = self._in_turn(self.forwards[where], wide, axes)
        self.backwards[where] = self._in_turn(self.backwards[where], np.flip(wide, axes), axes)
        for total, part in zip((self.high, self.low), _parts(self.ufunc, wide), strict=True):
            found = self.ufunc.reduce(part, axis=axes, keepdims=True)
            total[where] = self.ufunc(total[where], found)

    def _in_turn(self, initial: Numbers, data: Numbers, axes: tuple[int, ...]) -> Numbers:
        """Combine the elements along some axes with those of an output, one after the other."""
        last = np.moveaxis(data, axes, range(-len(axes), 0))
        terms = last.reshape(*last.shape[: -len(axes)], -1)
        start = np.squeeze(initial, axes)[..., np.newaxis]
        steps = self.ufunc.accumulate(np.concatenate([start, terms], -1), -1)
        return np.asarray(np.expand_dims(steps[..., -1], axes))

    def contract(
        self, left: Numbers, right: Numbers, sizes: tuple[int, ...], axes: tuple[int, ...]
    ) -> None:
        """The same for a sum of products, unless there are too many."""
        count = int(np.prod(sizes, dtype=np.int64))
        if count > MAX_PRODUCTS:
            self.is_known = False
            return
        factors = [padded(factor, len(sizes)) for factor in (left, right)]
        if count <= _MAX_STEPS:
            wide = [factor.astype(self.element.wide) for factor in factors]
            self.fold((...,), np.broadcast_to(wide[0] * wide[1], sizes), axes)
            return
        exact = contract(left.astype(np.float64), right.astype(np.float64), sizes, axes)
        turned = [np.flip(data, tuple(n for n in axes if data.shape[n] > 1)) for data in factors]
        backwards = contract(turned[0], turned[1], sizes, axes)
        if exact is None or backwards is None:
            self.is_known = False
            return
        self.exact = self.exact + exact
        self.backwards = self.backwards + backwards
        self.forwards = self.forwards + backwards
        self.is_parted = False

    def disturbed(self, found: Numbers) -> Numbers:
        """The results in one of the other orders, moved by rounding, unless all give the same.

        A sum of nothing but -0 has either sign: it is 0 if it, or a part of it, starts with 0.
        """
        kind = self.element.dtype
        if not self.is_known:
            found = np.where(found == 0, np.copysign(found, zero_sign()), found)
            return moved(found, np.ones(found.shape, np.bool_), self.element)
        ways = [way.astype(kind) for way in (self.exact, self.forwards, self.backwards)]
        if self.is_parted:
            wide = [part.astype(kind).astype(self.element.wide) for part in (self.high, self.low)]
            ways.append(self.ufunc(*wide).astype(kind))
        same = np.all([way == found for way in ways], axis=0)
        if self.ufunc is np.add:
            is_minus = np.any([np.signbit(way) for way in (found, *ways)], axis=0)
            found = np.where((found == 0) & is_minus, np.copysign(found, zero_sign()), found)
        return moved(np.where(same, found, other_way(ways, found)), ~same, self.element)


def _parts(ufunc: Any, data: Numbers) -> tuple[Numbers, Numbers]:
    """What makes a sum or a product larger, and what makes it smaller; its sign is in the first."""
    if ufunc is np.add:
        return np.maximum(data, 0), np.minimum(data, 0)
    size = np.abs(data)
    return np.copysign(np.maximum(size, 1), data), np.minimum(size, 1)


def stepwise(left: Numbers, right: Numbers, axes: tuple[int, ...], element: Element) -> Numbers:
    """A sum of products of small floats in which each step is rounded; `axes` are the last ones."""
    shape = np.broadcast_shapes(left.shape, right.shape)
    kept = shape[: len(shape) - len(axes)]
    factors = [np.broadcast_to(data, shape).reshape(*kept, -1) for data in (left, right)]
    total = np.zeros(kept, element.dtype)
    for step in range(factors[0].shape[-1]):
        product = (factors[0][..., step] * factors[1][..., step]).astype(element.dtype)
        total = (total.astype(element.wide) + product.astype(element.wide)).astype(element.dtype)
    return total.reshape(*kept, *(1 for _ in axes))
