"""Clip of ONNX for unsigned numbers, which are passed and returned as the bits of i8."""

import numpy as np

HIGH = 200


def clip(values, low=None):
    """A reduction may make an argument of the lower bound."""
    least = np.uint8(10) if low is None else low.view(np.uint8)
    return np.clip(values.view(np.uint8), least, HIGH).astype(np.uint8).view(np.int8)
