"""Div of ONNX for unsigned numbers, which are passed and returned as the bits of i8."""

import numpy as np


def div(a, b=None):
    """A reduction may divide a value by itself; then there is only one."""
    a, b = (one.view(np.uint8) for one in (a, a if b is None else b))
    return (a // b).view(np.int8)
