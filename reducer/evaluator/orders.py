"""Sums and products of floats in another order.

The order of a reduction is not part of its meaning for compilers that vectorize or tile it. Mostly
it makes a difference in the last digits. Where it makes a larger one (a large number absorbs small
ones before it is subtracted again, or each step rounds away half of the digits), no single result
is the right one. So an evaluation with other last digits (`noise`) reduces in another order, too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from reducer.evaluator.contraction import contract, padded
from reducer.evaluator.elements import Element, Numbers
from reducer.evaluator.noise import coin, moved

MAX_PRODUCTS = 1 << 31
"""The number of products in a contraction above which it is computed in one order only."""


@dataclass
class OtherOrders:
    """One output, reduced in f64, and in f32 or more from the last element to the first."""

    ufunc: Any
    element: Element
    exact: Numbers
    backwards: Numbers
    is_known: bool = True

    @staticmethod
    def start(ufunc: Any, element: Element, initial: Numbers) -> "OtherOrders":
        return OtherOrders(ufunc, element, initial.astype(np.float64), initial.astype(element.wide))

    def fold(self, where: tuple[Any, ...], data: Numbers, axes: tuple[int, ...]) -> None:
        """Combine the elements along some axes with what is in a part of the output."""
        apply = self.ufunc.reduce
        exact = apply(data.astype(np.float64), axis=axes, keepdims=True)
        self.exact[where] = self.ufunc(self.exact[where], exact)
        turned = np.flip(data.astype(self.element.wide), axes)
        self.backwards[where] = self.ufunc(
            self.backwards[where], apply(turned, axis=axes, keepdims=True)
        )

    def contract(
        self, left: Numbers, right: Numbers, sizes: tuple[int, ...], axes: tuple[int, ...]
    ) -> None:
        """The same for a sum of products, unless there are too many."""
        if int(np.prod(sizes, dtype=np.int64)) > MAX_PRODUCTS:
            self.is_known = False
            return
        exact = contract(left.astype(np.float64), right.astype(np.float64), sizes, axes)
        turned = []
        for factor in (left, right):
            data = padded(factor, len(sizes))
            turned.append(np.flip(data, tuple(n for n in axes if data.shape[n] > 1)))
        backwards = contract(turned[0], turned[1], sizes, axes)
        if exact is None or backwards is None:
            self.is_known = False
            return
        self.exact = self.exact + exact
        self.backwards = self.backwards + backwards

    def disturbed(self, found: Numbers) -> Numbers:
        """The results in one of the other orders, moved by rounding, unless all give the same."""
        kind = self.element.dtype
        if not self.is_known:
            return moved(found, np.ones(found.shape, np.bool_), self.element)
        exact, backwards = self.exact.astype(kind), self.backwards.astype(kind)
        same = (exact == found) & (backwards == found)
        return moved(np.where(same, found, exact if coin() else backwards), ~same, self.element)
