"""The loss of ONNX about which the reference implementation is mistaken, by its specification.

Without weights, the reference (onnx 1.23) divides the sum by the number of all targets if the one
that is ignored is -1, also by those that are ignored.

Source: the ONNX operator specification (https://onnx.ai/onnx/operators).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reducer.miscompile.values.elements import Numbers


def negative_log_likelihood(
    operands: Sequence[Any], attributes: Mapping[str, Any]
) -> list[Numbers]:
    """The loss; a mean is NaN if all targets are ignored."""
    scores, targets, weights = [*operands, None][:3]
    ignored = attributes.get("ignore_index")
    counts = np.full(targets.shape, True) if ignored is None else targets != ignored
    classes = np.where(counts, targets, 0)
    picked = np.take_along_axis(scores, classes[:, np.newaxis], axis=1)[:, 0]
    given = np.ones(scores.shape[1], scores.dtype) if weights is None else weights
    weight = np.where(counts, given[classes], 0).astype(scores.dtype)
    loss = -picked * weight
    reduction = attributes.get("reduction", "mean")
    if reduction == "none":
        return [loss]
    total = loss.sum()
    return [np.asarray(total / weight.sum() if reduction == "mean" else total)]
