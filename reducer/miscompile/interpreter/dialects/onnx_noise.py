"""What operators of ONNX may give instead, since none promises a precision (see `noise`)."""

import numpy as np

from reducer.miscompile.interpreter.noise import (
    APPROXIMATION,
    NEXT_TO_ONE,
    flushed,
    flushes,
    is_disturbing,
    moved,
    other_way,
)
from reducer.miscompile.values.elements import Element, Numbers

_APPROXIMATED = frozenset(
    ("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Celu", "Cos", "Cosh", "Elu", "Erf",
     "Exp", "Gelu", "Log", "LogSoftmax", "Mish", "Pow", "ReduceLogSum", "ReduceLogSumExp", "Selu",
     "Sigmoid", "Sin", "Sinh", "Softmax", "Softplus", "Swish", "Tan", "Tanh")
)  # fmt: skip
"""Operators of which not even a value without more digits than fit has to be exact."""
_CONVERSIONS = ("Cast", "CastLike")
"""Rounding to nearest is what they are for."""


def redone(name: str, data: Numbers, exact: Numbers, element: Element | None) -> Numbers:
    """The results of an operator, moved where they were rounded, or where they are approximated.

    `exact` are those in floats of 64 bits, if these are longer. Otherwise whole numbers count as
    exact.
    """
    if element is None or not is_disturbing(element) or data.shape != exact.shape:
        return data
    if name in _CONVERSIONS:
        return data
    if exact is data:
        where = data != np.rint(data)
    else:
        where = data.astype(np.float64) != exact
        data = other_way([exact.astype(data.dtype)], data)
    scale = 1 if element.is_small_float else APPROXIMATION
    least = float(name.lower() in NEXT_TO_ONE)
    out = moved(data, where | (name in _APPROXIMATED), element, scale, least)
    return flushed(out, element) if flushes(element) else out
