"""Vectors that are read from memory or tensors, and written there.

Source: MLIR language reference, 'vector' dialect.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.ir.affine import AffineMap
from reducer.miscompile.interpreter.affine import evaluate, parse_affine_map
from reducer.miscompile.interpreter.dialects.memory import memory
from reducer.miscompile.interpreter.dialects.tensors import placed
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, Buffer
from reducer.miscompile.values.elements import Numbers

# ---- consecutive elements -----------------------------------------------------------------------


def _consecutive(at: Sequence[int], vector: tuple[int, ...], rank: int) -> list[Any]:
    """The index along each dimension for each element: the last dimensions are the vector's."""
    first = rank - len(vector)
    return [
        np.asarray(index) if axis < first else np.asarray(index) + _axis(vector, axis - first)
        for axis, index in enumerate(at)
    ]


def _axis(shape: tuple[int, ...], axis: int) -> Numbers:
    """0, 1, 2… along one axis."""
    sizes = [1] * len(shape)
    sizes[axis] = shape[axis]
    return np.arange(shape[axis]).reshape(sizes)


def _inside(where: Sequence[Any], shape: Sequence[int], vector: tuple[int, ...]) -> Numbers:
    inside = np.ones(vector, np.bool_)
    for index, size in zip(where, shape, strict=True):
        inside = inside & (index >= 0) & (index < size)
    return inside


def _read(
    source: Any, where: Sequence[Any], taken: Numbers, vector: tuple[int, ...], other: Any
) -> Any:
    """The elements that are taken, and what the others are instead."""
    held = source.array() if isinstance(source, Buffer) else source
    if not held.data.size and taken.any():
        raise UndefinedBehavior("a vector that is out of bounds")
    safe = tuple(np.where(taken, np.broadcast_to(index, vector), 0) for index in where)
    if not held.data.size:
        held = Array(np.zeros([1] * held.data.ndim, held.data.dtype))
    found: Any = held[safe]
    return found if other is None else np.where(taken, found, other)


def _written(target: Any, where: Sequence[Any], taken: Numbers, value: Array) -> Any:
    """Memory is changed in place; of a tensor, another one is made."""
    places = tuple(np.broadcast_to(index, taken.shape)[taken] for index in where)
    if not isinstance(target, Buffer):
        return placed(target, places, value[taken])
    target.data[places] = value.data[taken]
    target.poison[places] = value.mask()[taken]
    return None


def _whole(where: Sequence[Any], shape: Sequence[int], vector: tuple[int, ...]) -> Numbers:
    if not _inside(where, shape, vector).all():
        raise UndefinedBehavior("a vector that is out of bounds")
    return np.ones(vector, np.bool_)


@op("vector.load")
def load(frame: Frame, op: Op, source: Any, *indices: Array) -> Any:
    return _load(op, source, [frame.index(one) for one in indices])


@op("affine.vector_load")
def affine_load(frame: Frame, op: Op, source: Any, *operands: Array) -> Any:
    return _load(op, source, _mapped(frame, op, operands))


def _load(op: Op, source: Any, at: Sequence[int]) -> Any:
    vector, held = op.shape, memory(source)
    where = _consecutive(at, vector, len(at))
    return _read(held, where, _whole(where, held.shape, vector), vector, None)


@op("vector.store")
def store(frame: Frame, op: Op, value: Array, target: Any, *indices: Array) -> None:
    _store(value, target, [frame.index(one) for one in indices])


@op("affine.vector_store")
def affine_store(frame: Frame, op: Op, value: Array, target: Any, *operands: Array) -> None:
    _store(value, target, _mapped(frame, op, operands))


def _store(value: Array, target: Any, at: Sequence[int]) -> None:
    vector, held = value.shape, memory(target)
    where = _consecutive(at, vector, len(at))
    _written(held, where, _whole(where, held.shape, vector), value)


def _mapped(frame: Frame, op: Op, operands: Sequence[Array]) -> list[int]:
    results = evaluate(parse_affine_map(op.text("map")), [frame.index(one) for one in operands])
    return [int(one) for one in results]


@op("vector.maskedload")
def masked_load(frame: Frame, op: Op, source: Any, *operands: Array) -> Any:
    *indices, mask, other = operands
    vector, held = op.shape, memory(source)
    where = _consecutive([frame.index(one) for one in indices], vector, len(indices))
    taken = frame.known(mask, "a mask")
    if (taken & ~_inside(where, held.shape, vector)).any():
        raise UndefinedBehavior("a vector that is out of bounds")
    return _read(held, where, taken, vector, other)


@op("vector.maskedstore")
def masked_store(frame: Frame, op: Op, target: Any, *operands: Array) -> None:
    *indices, mask, value = operands
    held = memory(target)
    where = _consecutive([frame.index(one) for one in indices], value.shape, len(indices))
    taken = frame.known(mask, "a mask")
    if (taken & ~_inside(where, held.shape, value.shape)).any():
        raise UndefinedBehavior("a vector that is out of bounds")
    _written(held, where, taken, value)


# ---- transfers ----------------------------------------------------------------------------------


@op("vector.transfer_read")
def transfer_read(frame: Frame, op: Op, source: Any, *operands: Array) -> Any:
    groups = op.segments
    everything = (source, *operands)
    indices, (padding,), masks = (everything[group] for group in groups[1:])
    vector = op.shape
    held = memory(source) if isinstance(source, Buffer) else source
    where, taken = _transfer(frame, op, held, indices, masks, vector)
    return _read(held, where, taken, vector, padding)


@op("vector.transfer_write")
def transfer_write(frame: Frame, op: Op, value: Array, target: Any, *operands: Array) -> Any:
    everything = (value, target, *operands)
    indices, masks = (everything[group] for group in op.segments[2:])
    held = memory(target) if isinstance(target, Buffer) else target
    where, taken = _transfer(frame, op, held, indices, masks, value.shape)
    return _written(held, where, np.broadcast_to(taken, value.shape), value)


def _transfer(
    frame: Frame, op: Op, held: Any, indices: Any, masks: Any, vector: tuple[int, ...]
) -> tuple[list[Any], Numbers]:
    """Where each element of the vector is, and which are transferred."""
    map_ = parse_affine_map(op.text("permutation_map"))
    dims = [_dim(op, map_, number) for number in range(len(map_.results))]
    where: list[Any] = [np.asarray(frame.index(one)) for one in indices]
    for axis, dim in enumerate(dims):
        if dim is not None:
            where[dim] = where[dim] + _axis(vector, axis)
    taken = np.ones(vector, np.bool_)
    own = frame.known(masks[0], "a mask") if masks else None
    for mask in (own, frame.lanes):  # an op with a mask of its own may be inside `vector.mask`
        if mask is not None:
            taken = taken & _masked(mask, dims, vector)
    promised = [word.strip() == "true" for word in op.text("in_bounds").strip("[]").split(",")]
    for dim, is_promised in zip(dims, promised, strict=False):
        if is_promised and dim is not None:
            along = _inside(where[dim : dim + 1], held.shape[dim : dim + 1], vector)
            if (taken & ~along).any():
                raise UndefinedBehavior("a vector that is out of bounds")
    return where, taken & _inside(where, held.shape, vector)


def _masked(mask: Numbers, dims: Sequence[int | None], vector: tuple[int, ...]) -> Numbers:
    """A mask over the dimensions of memory that are transferred, seen along the vector."""
    used = [dim for dim in dims if dim is not None]
    order = sorted(used)
    turned = np.transpose(mask, [order.index(dim) for dim in used])
    shape = iter(turned.shape)
    return np.broadcast_to(
        turned.reshape([1 if dim is None else next(shape) for dim in dims]), vector
    )


def _dim(op: Op, map_: AffineMap, number: int) -> int | None:
    """The dimension of memory along an axis of the vector; None if that is a broadcast."""
    dim = map_.loop(number)
    if dim is None and map_.results[number] != "0":
        raise Unsupported([f"{op.name} with such a map"])
    return dim
