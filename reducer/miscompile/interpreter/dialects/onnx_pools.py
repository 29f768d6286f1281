"""Operators of ONNX about which the reference implementation is mistaken, by their specification.

With `ceil_mode`, the reference (onnx 1.23) centers the windows of a pool on the tensor, where the
first one starts at the padding; it takes the padding of a `MaxPool` in another order, and counts
its indices in one channel. `LpNormalization` with p = 1 sums no absolute values there, `LRN` only
normalizes as many channels as there are batches, `MatMulInteger` takes the zero points of rows for
those of columns, and a softmax of before version 13 is of one dimension, like those after it.

Source: the ONNX operator specification (https://onnx.ai/onnx/operators).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.dialects.onnx_losses import negative_log_likelihood
from reducer.miscompile.values.elements import Numbers

Attributes = Mapping[str, Any]


def _around(size: int, span: int, step: int, kind: str) -> tuple[int, int]:
    """How much is added before and after a dimension that keeps its size, but for the steps."""
    more = max((-(-size // step) - 1) * step + span - size, 0)
    less = more // 2
    return (less, more - less) if kind == "SAME_UPPER" else (more - less, less)


def _count(size: int, edges: tuple[int, int], span: int, step: int, *, up: bool) -> int:
    """How many windows there are; none starts behind the tensor and what is before it."""
    room = size + sum(edges) - span
    count = (-(-room // step) if up else room // step) + 1
    return count - 1 if up and (count - 1) * step >= size + edges[0] else count


class _Pool:
    """The windows of a pool over all dimensions but the batch and the channels."""

    def __init__(self, shape: Sequence[int], attributes: Attributes) -> None:
        self.kernel = list(attributes["kernel_shape"])
        rank, self.sizes = len(self.kernel), list(shape[2:])
        self.steps = list(attributes.get("strides") or [1] * rank)
        self.gaps = list(attributes.get("dilations") or [1] * rank)
        spans = [(n - 1) * gap + 1 for n, gap in zip(self.kernel, self.gaps, strict=True)]
        kind = attributes.get("auto_pad", "NOTSET")
        if kind.startswith("SAME"):
            parts = zip(self.sizes, spans, self.steps, strict=True)
            self.edges = [_around(size, span, step, kind) for size, span, step in parts]
        else:
            pads = list(attributes.get("pads") or [0] * 2 * rank)
            pads = [0] * 2 * rank if kind == "VALID" else pads
            self.edges = list(zip(pads[:rank], pads[rank:], strict=True))
        up = bool(attributes.get("ceil_mode", 0))
        parts_of = zip(self.sizes, self.edges, spans, self.steps, strict=True)
        self.counts = [_count(*part, up=up) for part in parts_of]

    def seen(self, data: Numbers, before: Sequence[int], outside: Any = 0) -> list[Numbers]:
        """What is at each point of all windows: `outside` where `data`, which has so much before
        it, is not.
        """
        slices = [self._at(point) for point in product(*map(range, self.kernel))]
        ends = [one.stop for one in slices[-1]]
        where = [slice(n, n + size) for n, size in zip(before, data.shape[2:], strict=True)]
        sizes = [max(end, one.stop) for end, one in zip(ends, where, strict=True)]
        whole = np.full([*data.shape[:2], *sizes], outside, data.dtype)
        whole[slice(None), slice(None), *where] = data
        return [whole[slice(None), slice(None), *one] for one in slices]

    def padded(self, data: Numbers, outside: Any = 0) -> list[Numbers]:
        """What the windows see of the tensor."""
        return self.seen(data, [before for before, _ in self.edges], outside)

    def weights(self, *, with_padding: bool) -> Numbers:
        """How many elements each window sees; NaN if some of them are neither in the tensor nor in
        its padding, where that counts: nobody says whether they do.
        """
        if not with_padding:
            return np.asarray(sum(self.padded(np.ones([1, 1, *self.sizes]))))
        parts = zip(self.sizes, self.edges, strict=True)
        whole = np.ones([1, 1, *(size + sum(edges) for size, edges in parts)])
        seen = np.asarray(sum(self.seen(whole, [0] * len(self.sizes))))
        return np.where(seen == np.prod(self.kernel), seen, np.nan)

    def _at(self, point: Sequence[int]) -> list[slice]:
        parts = zip(point, self.gaps, self.steps, self.counts, strict=True)
        return [
            slice(n * gap, n * gap + step * (count - 1) + 1, step) for n, gap, step, count in parts
        ]


def _average_pool(operands: Sequence[Any], attributes: Attributes) -> list[Numbers]:
    (data,) = operands
    pool = _Pool(data.shape, attributes)
    total = np.sum(pool.padded(data), axis=0, dtype=data.dtype)
    count = pool.weights(with_padding=bool(attributes.get("count_include_pad", 0)))
    return [(total / count).astype(data.dtype)]


def _max_pool(operands: Sequence[Any], attributes: Attributes) -> list[Numbers]:
    (data,) = operands
    least = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    return [np.max(_Pool(data.shape, attributes).padded(data, least), axis=0)]


def _lp_pool(operands: Sequence[Any], attributes: Attributes) -> list[Numbers]:
    (data,) = operands
    power = attributes.get("p", 2)
    total = np.sum(_Pool(data.shape, attributes).padded(np.abs(data) ** power), axis=0)
    return [(total ** (1 / power)).astype(data.dtype)]


def _lp_normalization(operands: Sequence[Any], attributes: Attributes) -> list[Numbers]:
    """A vector of zeros stays one."""
    (data,) = operands
    power, axis = attributes.get("p", 2), attributes.get("axis", -1)
    norm = np.sum(np.abs(data) ** power, axis=axis, keepdims=True) ** (1 / power)
    return [np.where(norm == 0, 0, data / np.where(norm == 0, 1, norm)).astype(data.dtype)]


def _lrn(operands: Sequence[Any], attributes: Attributes) -> list[Numbers]:
    (data,) = operands
    size, channels = attributes["size"], data.shape[1]
    before = (size - 1) // 2
    squares = np.square(data)
    total = np.stack(
        [squares[:, max(0, n - before) : n + size - before].sum(axis=1) for n in range(channels)],
        axis=1,
    )
    scale = attributes.get("bias", 1.0) + attributes.get("alpha", 1e-4) / size * total
    return [(data / scale ** attributes.get("beta", 0.75)).astype(data.dtype)]


def _matmul_integer(operands: Sequence[Any], attributes: Attributes) -> list[Numbers]:
    left, right, *zeros = operands
    from_left, from_right = [*zeros, None, None][:2]
    a, b = left.astype(np.int32), right.astype(np.int32)
    if from_left is not None:
        zero = from_left.astype(np.int32)
        a = a - (zero[:, np.newaxis] if zero.ndim == 1 and zero.size > 1 else zero)
    if from_right is not None:
        b = b - from_right.astype(np.int32)
    return [np.matmul(a, b)]


COERCED = frozenset(("Hardmax", "LogSoftmax", "Softmax"))
FIRST_UNCOERCED = 13
"""The version of the operators from which on these do not make a matrix of their operand."""


def coerced(data: Numbers, attributes: Attributes) -> tuple[Numbers, dict[str, Any]]:
    """The matrix that an old operator makes of its operand, and the attributes for it."""
    axis = attributes.get("axis", 1)
    rows = int(np.prod(data.shape[: axis + data.ndim if axis < 0 else axis], dtype=np.int64))
    return data.reshape(rows, -1), {**attributes, "axis": 1}


OWN: dict[str, Callable[[Sequence[Any], Attributes], list[Numbers]]] = {
    "AveragePool": _average_pool,
    "LRN": _lrn,
    "LpNormalization": _lp_normalization,
    "LpPool": _lp_pool,
    "MatMulInteger": _matmul_integer,
    "MaxPool": _max_pool,
    "NegativeLogLikelihoodLoss": negative_log_likelihood,
}
"""The results of an operator for its operands and attributes."""
