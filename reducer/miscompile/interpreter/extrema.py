"""Maxima and minima of floats, with regard to the sign of zero.

`arith.maximumf` and `arith.minimumf` treat -0 as less than +0, as IEEE 754-2019 does. For
`arith.maxnumf` and `arith.minnumf` the two are equal, and either is right. NumPy's functions give
whichever comes last. Source: MLIR language reference, 'arith' dialect.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from reducer.miscompile.interpreter import noise


@dataclass(frozen=True)
class Extremum:
    """A function of two arrays that can also be folded over axes, as NumPy's are.

    `zero` is the sign that a zero has if there is any of this sign: 1 or -1; 0 if either will do.
    """

    function: Any
    zero: int

    def __call__(self, a: Any, b: Any) -> Any:
        out = np.asarray(self.function(a, b))
        if out.dtype.kind != "f":
            return out
        plus = _zeros(a, False) | _zeros(b, False)
        return self._signed(out, plus, _zeros(a, True) | _zeros(b, True))

    def reduce(self, data: Any, axis: Any, keepdims: bool = False, dtype: Any = None) -> Any:
        """What all elements along some axes come to."""
        out = self.function.reduce(data, axis=axis, keepdims=keepdims, dtype=dtype)
        if out.dtype.kind != "f":
            return out
        plus = np.any(_zeros(data, False), axis=axis, keepdims=keepdims)
        minus = np.any(_zeros(data, True), axis=axis, keepdims=keepdims)
        return self._signed(out, plus, minus)

    def _signed(self, out: Any, plus: Any, minus: Any) -> Any:
        """The results with the right zeros; `plus` and `minus` say which there are to choose."""
        sign = self.zero or (noise.zero_sign() if noise.is_active() else 0)
        if not sign:
            return out
        zero = np.copysign(out.dtype.type(0), sign)
        return np.where((out == 0) & plus & minus, zero, out)


def _zeros(data: Any, negative: bool) -> Any:
    return (np.asarray(data) == 0) & (np.signbit(data) == negative)


maximum = Extremum(np.maximum, 1)
minimum = Extremum(np.minimum, -1)
maxnum = Extremum(np.fmax, 0)
minnum = Extremum(np.fmin, 0)
