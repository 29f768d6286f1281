"""Finds sums and products of floats that depend on the order in which they are computed.

The order of a reduction is not part of its meaning for compilers that vectorize or tile it. Mostly
it makes a difference in the last digits, which comparisons allow for. Where it makes a larger one
(a large number absorbs small ones before it is subtracted again, or each step rounds to half of the
digits), no result is the right one. So the elements are computed in other orders too, and those
that differ are poison.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from oracles.values.compare import TOLERANCES
from reducer.evaluator.contraction import contract, padded
from reducer.evaluator.elements import Element, Numbers
from reducer.evaluator.noise import moved

MAX_PRODUCTS = 1 << 31
"""The number of products in a contraction above which it is computed in one order only."""

_COARSE = 0.3  # of floats without a tolerance of their own, as in comparisons
_SCALE = 0.01
_SHARE = 0.5
"""The share of a tolerance that the order of a single reduction may use up."""


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
        if exact is not None and backwards is not None:
            self.exact = self.exact + exact
            self.backwards = self.backwards + backwards

    def differing(self, found: Numbers) -> Numbers:
        """Where the results of other orders are not those that were found, but for rounding."""
        kind = self.element.dtype
        if not self.is_known:
            return np.zeros(found.shape, np.bool_)
        mine = found.astype(np.float64)
        mask = np.zeros(found.shape, np.bool_)
        for other in (self.exact.astype(kind), self.backwards.astype(kind)):
            mask |= ~_close(mine, other.astype(np.float64), self.element)
        return mask

    def disturbed(self, found: Numbers) -> Numbers:
        """The results in another order, moved by rounding, unless all orders give the same."""
        kind = self.element.dtype
        other = self.backwards.astype(kind)
        rounded = (other != found) | (self.exact.astype(kind) != found)
        return moved(np.where(rounded, other, found), rounded, self.element)


def _close(a: Numbers, b: Numbers, element: Element) -> Numbers:
    tolerance = _SHARE * TOLERANCES.get(element.text, _COARSE)
    finite = np.isfinite(a)
    scale = _SCALE * np.abs(a[finite]).max(initial=0)
    size = np.maximum(np.maximum(np.abs(a), np.abs(b)), scale)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.asarray(same | (finite & np.isfinite(b) & (np.abs(a - b) <= tolerance * size)))
