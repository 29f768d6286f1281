"""Operators of ONNX that divide by a scale and round to integers.

Nobody says how the factor is computed that scales a product of quantized matrices. And their
reference (onnx 1.23) adds the zero point before it rounds to even, where the specification rounds
first: with an odd zero point, that takes a half in the other direction. So what lies between two
integers may become either.

Source: the ONNX operator specification (https://onnx.ai/onnx/operators).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reducer.miscompile.values.elements import Numbers

_SCALES = {"QLinearConv": "x6", "QLinearMatMul": "x6", "QuantizeLinear": "x1"}
"""The operand that results are divided by."""
_ROUNDED_FIRST = ("QuantizeLinear",)
"""Operators of which the reference rounds the quotient: that is exact for some scales."""
_ULPS = 4


def between_integers(
    name: str,
    feeds: Mapping[str, Numbers],
    found: Numbers,
    run: Callable[[dict[str, Numbers]], Sequence[Any]],
) -> Numbers:
    """Which results become others if the scale changes in its last digits."""
    open_: Numbers = np.array(False)
    scale = feeds.get(_SCALES.get(name, ""))
    if scale is None or scale.dtype.kind != "f" or found.dtype.kind not in "iu":
        return open_
    if name in _ROUNDED_FIRST and (np.frexp(scale)[0] % 0.5 == 0).all():
        return open_
    for sign in (1, -1):
        factor = 1 + sign * _ULPS * float(np.finfo(scale.dtype).eps)
        near = {**feeds, _SCALES[name]: (scale * factor).astype(scale.dtype)}
        open_ = open_ | (np.asarray(run(near)[0]) != found)
    return open_
