"""Which results are exact: computed without any rounding, so every correct compiler gives the same.

Disturbed evaluations (`noise`) show most of this: what they do not change was not rounded. Rounding
that they do not disturb is noted instead: that of conversions, arithmetic on floats of
fewer than 16 bits, and sums of small floats, which are exact in any order only if all numbers that
may be met on the way have few enough digits.
"""

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from reducer.miscompile.interpreter.contraction import contract
from reducer.miscompile.interpreter.elements import Element, Numbers
from reducer.miscompile.interpreter.noise import is_active, note_rounding

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
