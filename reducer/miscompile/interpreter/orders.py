"""Sums and products of floats in another order.

The order of a reduction is not part of its meaning for compilers that vectorize or tile it. Mostly
it makes a difference in the last digits. Where it makes a larger one (a large number absorbs small
ones before it is subtracted again, or each step rounds away half of the digits), no single result
is the right one. So an evaluation with other last digits (`noise`) reduces in another order, too.
Two of the orders take one element after the other: that loses more digits than NumPy's, which
combines halves, and is what a program does that nobody optimizes. Another one takes the positive
numbers of a sum before the negative ones, and the large factors of a product before the small ones:
what can overflow does so there.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.contraction import contract, padded
from reducer.miscompile.interpreter.elements import Element, Numbers
from reducer.miscompile.interpreter.noise import moved, other_way, zero_sign

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
