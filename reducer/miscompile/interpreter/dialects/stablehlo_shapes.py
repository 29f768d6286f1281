"""Ops of StableHLO that move elements: reshapes, broadcasts, slices, padding.

Source: the StableHLO specification (https://openxla.org/stablehlo/spec).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import MlirType
from reducer.miscompile.interpreter.dialects.tensors import fits, joined, placed
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame, check_size
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array


def static_shape(op: Op, number: int = 0) -> tuple[int, ...]:
    """The shape of a result.

    Raises:
        Unsupported: it is dynamic.
    """
    dims = op.result_types[number].dims or ()
    if None in dims:
        raise Unsupported([f"{op.name} with a dynamic result"])
    return tuple(size or 0 for size in dims)


@op("stablehlo.iota")
def iota(frame: Frame, op: Op) -> Array:
    return _counted(op, static_shape(op))


@op("stablehlo.dynamic_iota")
def dynamic_iota(frame: Frame, op: Op, sizes: Array) -> Array:
    shape = [int(size) for size in frame.known(sizes, "a shape")]
    check_size(shape)
    return _promised(op, _counted(op, shape))


def _counted(op: Op, shape: Sequence[int]) -> Array:
    axis = op.integer("iota_dimension")
    line = np.arange(shape[axis]).reshape([-1 if n == axis else 1 for n in range(len(shape))])
    return Array(np.broadcast_to(line.astype(op.result.dtype), shape))


def _promised(op: Op, array: Array) -> Array:
    """The array, if it has the shape that the type of the result says.

    Raises:
        UndefinedBehavior: it has another one.
    """
    type_ = op.result_types[0]
    if not fits(array.shape, type_.dims or ()):
        raise UndefinedBehavior(f"a result of shape {list(array.shape)} for {type_.text}")
    return array


@op("stablehlo.reshape")
def reshape(frame: Frame, op: Op, tensor: Array) -> Array:
    shape = static_shape(op)
    return tensor.map(lambda data: data.reshape(shape))


@op("stablehlo.transpose")
def transpose(frame: Frame, op: Op, tensor: Array) -> Array:
    order = op.integers("permutation")
    return tensor.map(lambda data: np.transpose(data, order))


@op("stablehlo.broadcast_in_dim")
def broadcast_in_dim(frame: Frame, op: Op, tensor: Array) -> Array:
    shape, axes = static_shape(op), op.integers("broadcast_dimensions")

    def spread(data: Any) -> Any:
        sizes = [1] * len(shape)
        for axis in axes:
            sizes[axis] = data.shape[axes.index(axis)]
        order = sorted(range(len(axes)), key=axes.__getitem__)
        return np.broadcast_to(np.transpose(data, order).reshape(sizes), shape)

    return tensor.map(spread)


@op("stablehlo.broadcast")
def broadcast(frame: Frame, op: Op, tensor: Array) -> Array:
    """New dimensions before those of the operand."""
    shape = (*op.integers("broadcast_sizes"), *tensor.shape)
    return tensor.map(lambda data: np.broadcast_to(data, shape))


@op("stablehlo.concatenate")
def concatenate(frame: Frame, op: Op, *parts: Array) -> Array:
    return joined(parts, op.integer("dimension"))


@op("stablehlo.slice")
def static_slice(frame: Frame, op: Op, tensor: Array) -> Array:
    names = ("start_indices", "limit_indices", "strides")
    parts = zip(*(op.integers(name) for name in names), strict=True)
    where = tuple(slice(start, limit, step) for start, limit, step in parts)
    return tensor.map(lambda data: data[where])


@op("stablehlo.real_dynamic_slice")
def real_dynamic_slice(frame: Frame, op: Op, tensor: Array, *numbers: Array) -> Array:
    """Nothing is said about a slice that is not in the tensor."""
    given = [[int(n) for n in frame.known(one, "an index").ravel()] for one in numbers]
    parts = list(zip(*given, tensor.shape, strict=True))
    if any(not (0 <= start <= limit <= size and step > 0) for start, limit, step, size in parts):
        raise UndefinedBehavior(f"a slice out of bounds of {list(tensor.shape)}")
    where = tuple(slice(start, limit, step) for start, limit, step, _ in parts)
    return _promised(op, tensor.map(lambda data: data[where]))


@op("stablehlo.reverse")
def reverse(frame: Frame, op: Op, tensor: Array) -> Array:
    axes = op.integers("dimensions")
    return tensor.map(lambda data: np.flip(data, tuple(axes)))


@op("stablehlo.pad")
def pad(frame: Frame, op: Op, tensor: Array, value: Array) -> Array:
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    low, high, inner = (op.integers(name) for name in names)
    return surrounded(tensor, value, low, high, inner)


def surrounded(
    tensor: Array, value: Array, low: Sequence[int], high: Sequence[int], inner: Sequence[int]
) -> Array:
    """A tensor with a value around it and between its elements; less than none at the edges removes
    elements.
    """
    sizes = [n + max(n - 1, 0) * gap for n, gap in zip(tensor.shape, inner, strict=True)]
    grown = [max(a, 0) + n + max(b, 0) for a, n, b in zip(low, sizes, high, strict=True)]
    whole = value.map(lambda data: np.broadcast_to(data, grown))
    inside = tuple(
        slice(max(a, 0), max(a, 0) + n, gap + 1)
        for a, n, gap in zip(low, sizes, inner, strict=True)
    )
    out = placed(whole, inside, tensor)
    kept = tuple(
        slice(max(-a, 0), size - max(-b, 0)) for a, b, size in zip(low, high, grown, strict=True)
    )
    return out.map(lambda data: data[kept])


@op("stablehlo.dynamic_slice")
def dynamic_slice(frame: Frame, op: Op, tensor: Array, *starts: Array) -> Array:
    """Starts are clamped, so that the slice is in the tensor."""
    firsts = _starts(frame, op.operand_types[1:], starts)
    where = _clamped(firsts, op.integers("slice_sizes"), tensor.shape)
    return tensor.map(lambda data: data[where])


@op("stablehlo.dynamic_update_slice")
def dynamic_update_slice(
    frame: Frame, op: Op, tensor: Array, update: Array, *starts: Array
) -> Array:
    firsts = _starts(frame, op.operand_types[2:], starts)
    return placed(tensor, _clamped(firsts, update.shape, tensor.shape), update)


def _starts(frame: Frame, types: Sequence[MlirType], starts: Sequence[Array]) -> list[int]:
    """The first indices; those of a `ui` type have no sign."""
    numbers = zip(starts, types, strict=True)
    return [
        frame.index(start) % (1 << type_.number.width)
        if type_.number.unsigned
        else frame.index(start)
        for start, type_ in numbers
    ]


def _clamped(
    starts: Sequence[int], sizes: Sequence[int], shape: Sequence[int]
) -> tuple[slice, ...]:
    firsts = [
        min(max(start, 0), limit - size)
        for start, size, limit in zip(starts, sizes, shape, strict=True)
    ]
    return tuple(slice(first, first + size) for first, size in zip(firsts, sizes, strict=True))


@op("stablehlo.get_dimension_size")
def get_dimension_size(frame: Frame, op: Op, tensor: Array) -> Array:
    return Array(op.result.dtype.type(tensor.shape[op.integer("dimension")]))


@op("stablehlo.optimization_barrier")
def optimization_barrier(frame: Frame, op: Op, *values: Any) -> tuple[Any, ...]:
    return values
