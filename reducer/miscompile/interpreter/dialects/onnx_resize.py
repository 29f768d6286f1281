"""What is open about `Resize`, and where the reference implementation (onnx 1.23) of operators that
interpolate is mistaken.

The nearest pixel jumps to the next one at some coordinates. The specification does not say in which
precision these are computed, so where one lies at such a point, either pixel is right. That is not
so if the coordinate is exact: of numbers that are divided by a power of two, for example.

Source: the ONNX operator specification (https://onnx.ai/onnx/operators).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reducer.miscompile.values.elements import Numbers

_NEAR = 1e-5
_CENTERED = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel")


def is_mistaken(
    name: str, operands: Sequence[Any], attributes: Mapping[str, Any], shape: Sequence[int]
) -> bool:
    """Whether the reference contradicts the specification, or all other implementations.

    `shape` is that of the result.
    """
    if name == "RoiAlign":  # it takes the largest of what four pixels contribute to a point
        return bool(attributes.get("mode", "avg") == "max")
    if name == "GridSample":  # others repeat the border for each of the 16 pixels
        is_cubic = attributes.get("mode", "") in ("cubic", "bicubic")
        return is_cubic and attributes.get("padding_mode") == "border"
    if name != "Resize":
        return False
    mode = attributes.get("coordinate_transformation_mode", "half_pixel")
    if mode == "pytorch_half_pixel" and attributes.get("mode", "nearest") != "nearest":
        return any(new == 1 != old for new, old in zip(shape, np.shape(operands[0]), strict=False))
    if mode == "align_corners":  # nobody else takes sizes that are no integers
        found = _scales(operands, attributes, shape)
        return any(size * scale != np.rint(size * scale) for size, scale, _ in found)
    return False


def between_pixels(
    name: str, operands: Sequence[Any], attributes: Mapping[str, Any], shape: Sequence[int]
) -> Numbers:
    """Which pixels of a result of this shape may be either of two neighbors."""
    open_: Numbers = np.array(False)
    if name != "Resize" or attributes.get("mode", "nearest") != "nearest":
        return open_
    mode = attributes.get("coordinate_transformation_mode", "half_pixel")
    is_rounded = attributes.get("nearest_mode", "round_prefer_floor").startswith("round")
    found = _scales(operands, attributes, shape)
    for axis, (size, scale, count) in enumerate(found):
        places = np.arange(count) + (0.5 if mode in _CENTERED else 0.0)
        if mode == "align_corners":
            scale = (count - 1) / (size - 1) if size > 1 else 1.0
        if np.frexp(scale)[0] == 0.5:
            continue
        with np.errstate(all="ignore"):
            at = places / scale
        if mode == "half_pixel_symmetric":
            at = at + size / 2 * (1 - count / (size * scale))
        at = at - (0.5 if mode in _CENTERED else 0.0) - (0.5 if is_rounded else 0.0)
        near = (np.abs(at - np.rint(at)) < _NEAR * (1 + np.abs(at))) & (places != 0)
        open_ = open_ | near.reshape([-1 if n == axis else 1 for n in range(len(found))])
    return open_


def _scales(
    operands: Sequence[Any], attributes: Mapping[str, Any], shape: Sequence[int]
) -> list[tuple[int, float, int]]:
    """Along each dimension the old size, the scale and the new size; none if that is unknown."""
    sizes = np.shape(operands[0])
    given = operands[2] if len(operands) > 2 else None
    if attributes.get("keep_aspect_ratio_policy", "stretch") != "stretch" or len(operands) < 3:
        return []
    scales = [new / old if old else 1.0 for new, old in zip(shape, sizes, strict=True)]
    if given is not None and np.size(given):
        axes = attributes.get("axes") or range(len(sizes))
        for axis, scale in zip(axes, np.asarray(given, np.float64), strict=True):
            scales[axis] = float(scale)
    return list(zip(sizes, scales, shape, strict=True))
