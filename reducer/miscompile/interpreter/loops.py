"""The iteration space of a structured op: its sizes, its operands seen along its loops, and races.

An operand's view has one axis for each loop, of the loop's size or, where the operand does not
depend on the loop, of size 1. If the indexing map is linear, the view shares memory with the
operand: moving along a loop moves by a fixed number of bytes (so windows of a convolution overlap).

Iterations of parallel loops, and threads, may run in any order and at the same time. What they all
write is fine if it is the same; otherwise the element may become any of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reducer.ir.affine import AffineMap
from reducer.miscompile.interpreter.affine import Linear, evaluate, linear
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.values import Array, differ
from reducer.miscompile.values.elements import Numbers


def loop_sizes(maps: Sequence[AffineMap], operands: Sequence[Array]) -> tuple[int, ...]:
    """The number of iterations of each loop, from the shapes of the operands.

    Raises:
        UndefinedBehavior: two operands contradict each other.
        Unsupported: no operand has a dimension that is the loop's index.
    """
    count = maps[0].dims if maps else 0
    sizes: list[int | None] = [None] * count
    for map_, operand in zip(maps, operands, strict=True):
        for axis in range(len(map_.results)):
            dim = map_.loop(axis)
            if dim is None:
                continue
            size = operand.shape[axis]
            if sizes[dim] is None:
                sizes[dim] = size
            elif sizes[dim] != size:
                raise UndefinedBehavior(f"operands of different sizes, {sizes[dim]} and {size}")
    known = [size for size in sizes if size is not None]
    if len(known) != count:
        raise Unsupported(["structured op with a loop of unknown size"])
    return tuple(known)


def view(operand: Array, map_: AffineMap, sizes: tuple[int, ...]) -> Array:
    """An operand along the loops.

    Raises:
        UndefinedBehavior: an index is out of bounds.
    """
    rows = [linear(map_, axis) for axis in range(len(map_.results))]
    if 0 in sizes:
        return operand.map(lambda data: np.zeros(sizes, data.dtype))
    known = [row for row in rows if row is not None]
    if len(known) != len(rows):
        return _gathered(operand, map_, sizes)
    for axis, row in enumerate(known):
        _check(row, sizes, operand.shape[axis], axis)
    return operand.map(lambda data: _strided(data, known, sizes))


def _check(row: Linear, sizes: tuple[int, ...], limit: int, axis: int) -> None:
    steps = [c * (size - 1) for c, size in zip(row.coefficients, sizes, strict=True)]
    least = row.constant + sum(step for step in steps if step < 0)
    most = row.constant + sum(step for step in steps if step > 0)
    if least < 0 or most >= limit:
        raise UndefinedBehavior(
            f"index {least if least < 0 else most} is out of bounds of dimension {axis}, "
            f"of size {limit}"
        )


def _strided(data: Any, rows: list[Linear], sizes: tuple[int, ...]) -> Numbers:
    data = np.asarray(data)
    shape, strides = [], []
    for dim, size in enumerate(sizes):
        used = any(row.coefficients[dim] for row in rows)
        shape.append(size if used else 1)
        moves = zip(rows, data.strides, strict=True)
        strides.append(sum(row.coefficients[dim] * stride for row, stride in moves))
    start = tuple(row.constant for row in rows)
    moved = data[tuple(slice(n, None) for n in start)] if any(start) else data
    # NumPy cannot name all types of small floats in its array interface, which this goes through.
    raw = moved.view(f"u{moved.itemsize}") if moved.itemsize == 1 else moved
    strided = np.lib.stride_tricks.as_strided(raw, shape, strides, writeable=False)
    return strided.view(moved.dtype)


def _gathered(operand: Array, map_: AffineMap, sizes: tuple[int, ...]) -> Array:
    grid = [np.asarray(axis) for axis in np.ogrid[tuple(slice(0, size) for size in sizes)]]
    where = [np.asarray(index) for index in evaluate(map_, list(grid))]
    for axis, index in enumerate(where):
        if index.min() < 0 or index.max() >= operand.shape[axis]:
            raise UndefinedBehavior(f"an index is out of bounds of dimension {axis}")
    shaped = [index.reshape((1,) * (len(sizes) - index.ndim) + index.shape) for index in where]
    return operand.map(lambda data: data[tuple(shaped)])


@dataclass
class Output:
    """An output along the loops, with axes of size 1 for the loops that reduce it."""

    data: Numbers
    poison: Numbers
    dims: tuple[int | None, ...]
    """For each axis of the tensor the loop that runs along it; None for a constant index."""
    shape: tuple[int, ...]

    @staticmethod
    def of(tensor: Array, map_: AffineMap, sizes: tuple[int, ...]) -> "Output":
        """A writable copy of an output operand.

        Raises:
            Unsupported: two iterations of parallel loops could write the same element.
        """
        dims: list[int | None] = []
        for axis in range(len(map_.results)):
            dim, row = map_.loop(axis), linear(map_, axis)
            unit = row is not None and not any(row.coefficients) and tensor.shape[axis] == 1
            if (dim is None and not unit) or (dim is not None and dim in dims):
                raise Unsupported(["structured op that writes through an affine expression"])
            dims.append(dim)
        shape = tuple(size if loop in dims else 1 for loop, size in enumerate(sizes))
        order = [axis for axis, dim in enumerate(dims) if dim is None]
        order += sorted(
            (a for a, d in enumerate(dims) if d is not None), key=lambda a: dims[a] or 0
        )

        def along(data: Any) -> Numbers:
            return np.array(np.transpose(data, order).reshape(shape))

        return Output(along(tensor.data), along(tensor.mask()), tuple(dims), tensor.shape)

    def tensor(self) -> Array:
        """The output in its own shape."""
        return Array(self._back(self.data), self._back(self.poison))

    def _back(self, data: Numbers) -> Numbers:
        order = sorted(dim for dim in self.dims if dim is not None)
        dense = data.reshape([data.shape[dim] for dim in order])
        moved = np.transpose(dense, [order.index(dim) for dim in self.dims if dim is not None])
        return np.ascontiguousarray(moved).reshape(self.shape)

    def reduced(self, loops: int) -> tuple[int, ...]:
        """The loops that reduce this output."""
        return tuple(loop for loop in range(loops) if loop not in self.dims)


class Races:
    """What has been written to one output, and where the writers disagree."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.written = np.zeros(shape, np.bool_)
        self.lost = np.zeros(shape, np.bool_)

    def note(
        self, where: Any, there: tuple[Any, Any], new: tuple[Any, Any], mask: Any = True
    ) -> None:
        """Elements are about to be written.

        Args:
            where: the part of the output that they are in.
            there: the numbers in that part, and which of them are poison.
            new: the same for what it will hold.
            mask: which elements of the part are written.
        """
        (data, poison), (other, other_poison) = there, new
        again = self.written[where] & mask
        self.lost[where] |= again & (differ(data, other) | poison | other_poison)
        self.written[where] |= mask
