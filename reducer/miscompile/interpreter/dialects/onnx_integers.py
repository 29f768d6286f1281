"""Operators of ONNX whose results may not fit into the integer type that they have.

According to the specification of `Cast`, the result for a float out of the range of the integer
type is undefined; the reference wraps it, and a compiler may saturate it. For a power, it does not
say whether it is computed in integers, which wrap, or in floats, which are then converted.

Source: the ONNX operator specification (https://onnx.ai/onnx/operators).
"""

import numpy as np

from reducer.miscompile.values.elements import Element, Numbers

_CASTS = ("Cast", "CastLike")


def fits_no_integer(name: str, given: Numbers | None, element: Element | None) -> Numbers:
    """Which numbers an operator converts to integers although they are not in the range."""
    if name not in _CASTS or given is None or element is None or not element.is_integer:
        return np.array(False)
    if given.dtype.kind in "biu" or element.width == 1:
        return np.array(False)
    return _is_beyond(given, element)


def is_no_integral_power(base: Numbers, exponent: Numbers, element: Element) -> Numbers:
    """Where a power is no integer of the type: it may be rounded, cut off, saturated or wrapped."""
    with np.errstate(all="ignore"):
        power = np.power(base.astype(np.float64), exponent.astype(np.float64))
    return np.asarray(power != np.rint(power)) | _is_beyond(power, element)


def _is_beyond(numbers: Numbers, element: Element) -> Numbers:
    least = 0 if element.unsigned else element.lowest
    most = (1 << element.width) - 1 if element.unsigned else element.highest
    whole = np.trunc(numbers.astype(np.float64))
    return np.asarray(~((whole >= least) & (whole < float(most + 1))))
