"""What operators of ONNX leave open or forbid, and where their reference is mistaken.

The specification calls an index out of bounds an error, or the result undefined; the reference
mostly does what NumPy does: it wraps an index, or lets the last of two writers win. It says that
the result of a `Cast` is undefined for a float out of the range of the integer type, and not
whether a power of integers is computed in integers, which wrap, or in floats.

The nearest pixel of a resized image jumps to the next one at some coordinates, and nobody says in
which precision these are computed, so where one lies at such a point, either pixel is right. That
is not so if the coordinate is exact: of numbers that are divided by a power of two, for example.
Nor does anybody say how the factor is computed that scales a product of quantized matrices. And the
reference (onnx 1.23) adds the zero point before it rounds to even, where the specification rounds
first: with an odd zero point, that takes a half in the other direction. So what lies between two
integers may become either.

Where the reference contradicts the specification or all other implementations, nothing is known.

Source: the ONNX operator specification (https://onnx.ai/onnx/operators).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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

COERCED = frozenset(("Hardmax", "LogSoftmax", "Softmax"))
FIRST_UNCOERCED = 13
"""The version of the operators from which on these do not make a matrix of their operand."""


def coerced(data: Numbers, attributes: Mapping[str, Any]) -> tuple[Numbers, dict[str, Any]]:
    """The matrix that an old operator makes of its operand, and the attributes for it."""
    axis = attributes.get("axis", 1)
    rows = int(np.prod(data.shape[: axis + data.ndim if axis < 0 else axis], dtype=np.int64))
    return data.reshape(rows, -1), {**attributes, "axis": 1}


def is_misread(name: str, operands: Sequence[Any], attributes: Mapping[str, Any]) -> bool:
    """Whether the reference (onnx 1.23) contradicts the specification for these attributes."""
    around = attributes.get("auto_pad", "NOTSET")
    if name == "MaxPool":  # it takes the padding in another order, and other windows at the end
        uneven = len(set(attributes.get("pads") or ())) > 1
        return bool(uneven or around.startswith("SAME")) or bool(attributes.get("ceil_mode", 0))
    if name in ("AveragePool", "LpPool"):  # it centers the windows on the tensor, without gaps
        gaps = any(gap > 1 for gap in attributes.get("dilations") or ())
        return bool(attributes.get("ceil_mode", 0)) or bool(around != "NOTSET" and gaps)
    if name == "LRN":  # it normalizes as many channels as there are batches
        batches, channels, *_ = np.shape(operands[0])
        return bool(batches != channels)
    if name == "LpNormalization":  # it sums no absolute values
        return bool(attributes.get("p", 2) == 1)
    if name == "NegativeLogLikelihoodLoss":  # a mean is one of all targets, with the ignored ones
        weights = [*operands, None][2]
        return weights is None and attributes.get("ignore_index") == -1
    return False


_ALONG_AXIS = frozenset(("Gather", "GatherElements", "Scatter", "ScatterElements"))
_TUPLES = frozenset(("GatherND", "ScatterND"))
_SCATTERS = frozenset(("Scatter", "ScatterElements", "ScatterND"))
_RECURRENT = frozenset(("GRU", "LSTM", "RNN"))
_LENGTHS = 4
"""The operand of a recurrent network that says how long each sequence is."""
_CLASSES = frozenset(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"))


def is_astray(name: str, operands: Sequence[Any], attributes: Mapping[str, Any]) -> bool:
    """Whether an index is out of bounds; operands that are left out are None."""
    if name in _ALONG_AXIS:
        size = np.shape(operands[0])[attributes.get("axis", 0)]
        return _is_beyond(operands[1], -size, size)
    if name in _TUPLES:
        indices, first = operands[1], attributes.get("batch_dims", 0)
        sizes = np.array(np.shape(operands[0])[first : first + np.shape(indices)[-1]])
        return _is_beyond(indices, -sizes, sizes)
    if name in _CLASSES:
        ignored = attributes.get("ignore_index")
        targets = operands[1] if ignored is None else operands[1][operands[1] != ignored]
        return _is_beyond(targets, 0, np.shape(operands[0])[1])
    if name == "ReverseSequence":
        longest = np.shape(operands[0])[attributes.get("time_axis", 0)]
        return _is_beyond(operands[1], 0, longest + 1)
    if name == "RoiAlign":
        return _is_beyond(operands[2], 0, np.shape(operands[0])[0])
    return name == "MaxUnpool" and (
        np.unique(operands[1]).size < np.size(operands[1]) or bool(np.any(operands[1] < 0))
    )


def has_shorter_sequences(
    name: str, operands: Sequence[Any], attributes: Mapping[str, Any]
) -> bool:
    """Whether a recurrent network is told to end some sequences early, which the reference does not
    know (onnx 1.23); none can be longer than what is there.
    """
    if name not in _RECURRENT or len(operands) <= _LENGTHS or operands[_LENGTHS] is None:
        return False
    return bool(np.any(operands[_LENGTHS] < np.shape(operands[0])[attributes.get("layout", 0)]))


def overwritten(name: str, operands: Sequence[Any], attributes: Mapping[str, Any]) -> Numbers:
    """Which elements of the result several updates write, in an order that is not specified; to be
    broadcast to its shape.
    """
    if name not in _SCATTERS or attributes.get("reduction", "none") != "none":
        return np.array(False)
    writers = np.zeros(np.shape(operands[0]), int)
    indices = operands[1]
    if name == "ScatterND":
        sizes = np.array(writers.shape[: indices.shape[-1]])
        places = list(np.moveaxis(indices % sizes, -1, 0))
    else:
        axis = attributes.get("axis", 0)
        places = list(np.indices(indices.shape))
        places[axis] = indices % writers.shape[axis]
    np.add.at(writers, tuple(places), 1)
    return np.asarray(writers > 1)


def _is_beyond(indices: Numbers, low: Any, high: Any) -> bool:
    return bool(np.any((indices < low) | (indices >= high)))


_CASTS = ("Cast", "CastLike")


def fits_no_integer(name: str, given: Numbers | None, element: Element | None) -> Numbers:
    """Which numbers an operator converts to integers although they are not in the range."""
    if name not in _CASTS or given is None or element is None or not element.is_integer:
        return np.array(False)
    if given.dtype.kind in "biu" or element.width == 1:
        return np.array(False)
    return _is_out_of_range(given, element)


def is_no_integral_power(base: Numbers, exponent: Numbers, element: Element) -> Numbers:
    """Where a power is no integer of the type: it may be rounded, cut off, saturated or wrapped."""
    with np.errstate(all="ignore"):
        power = np.power(base.astype(np.float64), exponent.astype(np.float64))
    return np.asarray(power != np.rint(power)) | _is_out_of_range(power, element)


def _is_out_of_range(numbers: Numbers, element: Element) -> Numbers:
    least = 0 if element.unsigned else element.lowest
    most = (1 << element.width) - 1 if element.unsigned else element.highest
    whole = np.trunc(numbers.astype(np.float64))
    return np.asarray(~((whole >= least) & (whole < float(most + 1))))


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
    doubtful = _scales(operands, attributes, shape)
    for axis, (size, scale, count) in enumerate(doubtful):
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
        open_ = open_ | near.reshape([-1 if n == axis else 1 for n in range(len(doubtful))])
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
