"""Gathers and scatters of slices.

Source: MLIR language reference, 'tensor' dialect, and IREE's documentation, 'iree_linalg_ext'
dialect.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.dialects.scans import apply_body
from reducer.miscompile.interpreter.dialects.tensors import in_bounds, placed, slices
from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array


def _points(frame: Frame, op: Op, indices: Array, batch: int) -> tuple[tuple[int, ...], Any]:
    """The shape of the batch, and for each of its points a row of indices."""
    data = frame.known(indices, "an index")
    shape = data.shape[:batch]
    return shape, data.reshape((*shape, -1))


@op("iree_linalg_ext.scatter")
def scatter(frame: Frame, op: Op, updates: Array, indices: Array, *rest: Array) -> Array:
    """The body combines an update with what is there; the updates come in order."""
    mask, target = (rest[0], rest[1]) if len(rest) > 1 else (None, rest[0])
    dims = op.integers("dimension_map")
    depth = len(dims)
    implicit = depth == 1 and indices.shape[-1:] != (1,)
    batch = indices.data.ndim - (0 if implicit else 1)
    shape, rows = _points(frame, op, indices, batch)
    sizes = updates.shape[batch:]
    spare = target.data.ndim - len(sizes)
    seen = _Places(op.text("unique_indices") == "true")
    for point in np.ndindex(*shape):
        if mask is not None and not frame.known(mask, "a mask")[point]:
            continue
        starts = [0] * target.data.ndim
        for dim, index in zip(dims, rows[point], strict=True):
            starts[dim] = int(index)
        seen.add(starts)
        where = slices(starts, [1] * spare + list(sizes), [1] * len(starts), target.shape)
        (new,) = apply_body(frame, op, updates[point], target[where].reshape(sizes))
        spread: Any = np.broadcast_to(new, sizes)
        target = placed(target, where, spread.reshape([1] * spare + list(sizes)))
    return target


@op("iree_linalg_ext.gather")
def gather(frame: Frame, op: Op, source: Array, indices: Array, *rest: Array) -> Array:
    dims = op.integers("dimension_map")
    output = rest[-1]
    slice_rank = source.data.ndim - len(dims)
    batch = output.data.ndim - slice_rank
    _, rows = _points(frame, op, indices, batch)
    where: list[Any] = []
    for n, dim in enumerate(dims):
        if dim != n:
            raise UndefinedBehavior("a gather along other than the first dimensions")
        where.append(rows[..., n])
    in_bounds(where, source.shape[: len(dims)])
    return source[tuple(where)]


@op("tensor.gather")
def tensor_gather(frame: Frame, op: Op, source: Array, indices: Array) -> Any:
    """The gathered dims keep size 1, or are dropped, as the result type says."""
    dims = op.integers("gather_dims")
    data = frame.known(indices, "an index")
    coordinates = [data[..., n].astype(np.int64) for n in range(len(dims))]
    in_bounds(coordinates, [source.shape[dim] for dim in dims])
    order = [*dims, *(n for n in range(source.data.ndim) if n not in dims)]
    batch = data.ndim - 1

    found: Any = source.transpose(order)[tuple(coordinates)]
    if len(op.result_types[0].dims or ()) == found.data.ndim:
        return found
    return np.expand_dims(found, tuple(batch + dim for dim in dims))


@op("tensor.scatter")
def tensor_scatter(frame: Frame, op: Op, source: Array, target: Array, indices: Array) -> Array:
    dims = op.integers("scatter_dims")
    data = frame.known(indices, "an index")
    seen = _Places(op.has("unique"))
    for point in np.ndindex(*data.shape[:-1]):
        starts, sizes = [0] * target.data.ndim, list(target.shape)
        for dim, index in zip(dims, data[point], strict=True):
            starts[dim], sizes[dim] = int(index), 1
        seen.add(starts)
        where = slices(starts, sizes, [1] * len(starts), target.shape)
        target = placed(target, where, source[point].reshape(sizes))
    return target


class _Places:
    """Where a scatter has written; `unique` is whether it promises to do so only once."""

    def __init__(self, unique: bool) -> None:
        self._unique = unique
        self._seen: set[tuple[int, ...]] = set()

    def add(self, starts: Sequence[int]) -> None:
        """Note a place.

        Raises:
            UndefinedBehavior: it was written before, in spite of the promise.
        """
        if self._unique and tuple(starts) in self._seen:
            raise UndefinedBehavior("a scatter to unique indices meets one twice")
        self._seen.add(tuple(starts))
