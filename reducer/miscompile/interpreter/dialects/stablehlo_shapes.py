"""Ops of StableHLO that move elements: reshapes, broadcasts, slices, padding.

Source: the StableHLO specification (https://openxla.org/stablehlo/spec).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import MlirType
from reducer.miscompile.interpreter.dialects.tensors import fits, placed
from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.interpreter import Frame, check_size
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op, rows
from reducer.miscompile.interpreter.values import Array


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


def _spread(op: Op, tensor: Array) -> Any:
    shape, axes = op.shape, op.integers("broadcast_dimensions")
    sizes = [1] * len(shape)
    for axis, size in zip(axes, tensor.shape, strict=True):
        sizes[axis] = size
    moved: Any = tensor.transpose(np.argsort(axes)).reshape(sizes)
    return np.broadcast_to(moved, shape)


def _sliced(op: Op, tensor: Array) -> Array:
    names = ("start_indices", "limit_indices", "strides")
    return tensor[tuple(map(slice, *(op.integers(name) for name in names)))]


_PADDING = "edge_padding_low", "edge_padding_high", "interior_padding"

rows(
    {
        "stablehlo.iota": lambda op: _counted(op, op.shape),
        "stablehlo.reshape": lambda op, tensor: tensor.reshape(op.shape),
        "stablehlo.transpose": lambda op, a: a.transpose(op.integers("permutation")),
        "stablehlo.broadcast_in_dim": _spread,
        "stablehlo.broadcast": lambda op, tensor: np.broadcast_to(
            tensor, (*op.integers("broadcast_sizes"), *tensor.shape)
        ),
        "stablehlo.concatenate": lambda op, *parts: np.concatenate(parts, op.integer("dimension")),
        "stablehlo.slice": _sliced,
        "stablehlo.reverse": lambda op, tensor: np.flip(tensor, tuple(op.integers("dimensions"))),
        "stablehlo.pad": lambda op, tensor, value: surrounded(
            tensor, value, *map(op.integers, _PADDING)
        ),
        "stablehlo.get_dimension_size": lambda op, tensor: Array(
            op.result.dtype.type(tensor.shape[op.integer("dimension")])
        ),
        "stablehlo.optimization_barrier": lambda op, *values: values,
    }
)


@op("stablehlo.real_dynamic_slice")
def real_dynamic_slice(frame: Frame, op: Op, tensor: Array, *numbers: Array) -> Array:
    """Nothing is said about a slice that is not in the tensor."""
    given = [[int(n) for n in frame.known(one, "an index").ravel()] for one in numbers]
    parts = list(zip(*given, tensor.shape, strict=True))
    if any(not (0 <= start <= limit <= size and step > 0) for start, limit, step, size in parts):
        raise UndefinedBehavior(f"a slice out of bounds of {list(tensor.shape)}")
    where = tuple(slice(start, limit, step) for start, limit, step, _ in parts)
    return _promised(op, tensor[where])


def surrounded(
    tensor: Array, value: Any, low: Sequence[int], high: Sequence[int], inner: Sequence[int]
) -> Array:
    """A tensor with a value around it and between its elements; less than none at the edges removes
    elements.
    """
    sizes = [n + max(n - 1, 0) * gap for n, gap in zip(tensor.shape, inner, strict=True)]
    grown = [max(a, 0) + n + max(b, 0) for a, n, b in zip(low, sizes, high, strict=True)]
    whole: Any = np.broadcast_to(value, grown)
    inside = tuple(
        slice(max(a, 0), max(a, 0) + n, gap + 1)
        for a, n, gap in zip(low, sizes, inner, strict=True)
    )
    out = placed(whole, inside, tensor)
    kept = tuple(
        slice(max(-a, 0), size - max(-b, 0)) for a, b, size in zip(low, high, grown, strict=True)
    )
    return out[kept]


@op("stablehlo.dynamic_slice")
def dynamic_slice(frame: Frame, op: Op, tensor: Array, *starts: Array) -> Array:
    """Starts are clamped, so that the slice is in the tensor."""
    firsts = _starts(frame, op.operand_types[1:], starts)
    return tensor[_clamped(firsts, op.integers("slice_sizes"), tensor.shape)]


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
