"""What operators of ONNX require of operands that say where elements are.

The specification calls other values an error, or their results undefined. The reference mostly
takes them for what NumPy does with them: it wraps an index, or lets the last of two writers win.

Source: the ONNX operator specification (https://onnx.ai/onnx/operators).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reducer.miscompile.values.elements import Numbers

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
