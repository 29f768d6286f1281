"""Values while a program runs: numbers, each of which may be poison.

Poison is what a program computes from uninitialized memory, from an overflow that it promised not
to have, and so on: any number is right. It is tracked element by element, in a mask of the shape of
the numbers (None: no element is poison).
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from reducer.ir.shapes import Dims
from reducer.miscompile.interpreter.attributes import MlirType
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.values.elements import Numbers

_MOVES = frozenset(
    (
        *(np.broadcast_to, np.transpose, np.moveaxis, np.reshape, np.ravel, np.expand_dims),
        *(np.concatenate, np.stack, np.where, np.take_along_axis, np.flip, np.roll, np.atleast_1d),
    )
)
"""What moves elements, or chooses among them, and computes nothing."""


class Array:
    """The numbers of a tensor, or one number (rank 0), with a mask of those that are poison.

    What moves elements in NumPy takes it as it takes numbers, and moves the mask with them.
    """

    __slots__ = ("data", "poison")

    def __init__(self, data: Any, poison: Any = None) -> None:
        if poison is not None:
            if not poison.any():
                poison = None
            elif poison.shape != data.shape:
                shape = np.broadcast_shapes(poison.shape, data.shape)
                poison, data = np.broadcast_to(poison, shape), np.broadcast_to(data, shape)
        self.data: Numbers = data
        self.poison: Numbers | None = poison

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    def mask(self) -> Numbers:
        """A mask of the poison elements, of the shape of the numbers."""
        return np.zeros(self.data.shape, np.bool_) if self.poison is None else self.poison

    def map(self, change: Any) -> "Array":
        """The array with numbers and mask moved in the same way: `change(numbers)`."""
        return Array(change(self.data), None if self.poison is None else change(self.poison))

    def __getitem__(self, where: Any) -> "Array":
        return self.map(lambda data: data[where])

    def reshape(self, *shape: Any) -> "Array":
        """The elements in the same order, in another shape."""
        return self.map(lambda data: data.reshape(*shape))

    def transpose(self, order: Any) -> "Array":
        """The elements with their dimensions in another order."""
        return self.map(lambda data: data.transpose(order))

    def __array_function__(self, function: Any, types: Any, given: Any, more: Any) -> Any:
        """Where a condition is poison, so is what it chooses."""
        if function not in _MOVES:
            return NotImplemented
        data = function(*_each(given, lambda array: array.data), **more)
        if not has_poison(_arrays(given)):
            return Array(data)
        if function is not np.where or not isinstance(given[0], Array):
            return Array(data, function(*_each(given, Array.mask), **more))
        condition, *rest = given
        return Array(data, np.where(condition.data, *_each(rest, Array.mask)) | condition.mask())

    def __repr__(self) -> str:
        bad = 0 if self.poison is None else int(self.poison.sum())
        return f"{self.data!r}" + (f" with {bad} poison" if bad else "")


def _arrays(value: Any) -> Iterator[Array]:
    if isinstance(value, Array):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _arrays(part)


def _each(value: Any, take: Callable[[Array], Any]) -> Any:
    """A value with something else for each array in it."""
    if isinstance(value, Array):
        return take(value)
    return [_each(part, take) for part in value] if isinstance(value, list | tuple) else value


class View(Array):
    """What the program hands out: a tensor with the type that it has outside."""

    __slots__ = ("type",)

    def __init__(self, array: Array, type_: MlirType) -> None:
        super().__init__(array.data, array.poison)
        self.type = type_


class Slot:
    """A tensor that a dispatch reads and writes in place."""

    __slots__ = ("array",)
    shape = ()

    def __init__(self, array: Array) -> None:
        self.array = array


class Owner:
    """Memory as a whole: `is_freed` once the program has given it back."""

    __slots__ = ("is_freed",)

    def __init__(self) -> None:
        self.is_freed = False


class Buffer:
    """Memory, or a view of some: numbers that change in place, with a mask of those in which
    nothing was written yet.
    """

    __slots__ = ("data", "owner", "poison")

    def __init__(self, data: Numbers, poison: Numbers, owner: Owner | None = None) -> None:
        self.data = data
        self.poison = poison
        self.owner = owner or Owner()

    @property
    def is_freed(self) -> bool:
        return self.owner.is_freed

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    def array(self) -> Array:
        """What it holds now."""
        return Array(self.data.copy(), self.poison.copy())

    def fill(self, value: Array) -> None:
        """Overwrite all of it."""
        self.data[...] = value.data
        self.poison[...] = value.mask()

    def overlaps(self, other: "Buffer") -> bool:
        """Whether another view has some of its elements, at other places."""
        is_same = self.data.ctypes.data == other.data.ctypes.data
        is_same &= self.data.strides == other.data.strides
        return not is_same and np.shares_memory(self.data, other.data)

    def read(self, place: tuple[int, ...]) -> Array:
        """One element."""
        return Array(self.data[place], np.asarray(self.poison[place]))

    def write(self, place: tuple[int, ...], value: Array) -> None:
        """Overwrite one element."""
        self.data[place] = value.data
        self.poison[place] = value.poison is not None

    def part(self, slices: tuple[slice, ...]) -> "Buffer":
        """A view of a part of it."""
        return Buffer(self.data[slices], self.poison[slices], self.owner)

    def squeezed(self, dims: Dims) -> "Buffer":
        """A view without some dimensions of size 1, so that those of `dims` are left."""
        sizes = self.shape
        for kept in combinations(range(len(sizes)), len(dims)):
            dropped = tuple(axis for axis in range(len(sizes)) if axis not in kept)
            fits = all(want in (None, sizes[axis]) for axis, want in zip(kept, dims, strict=True))
            if fits and all(sizes[axis] == 1 for axis in dropped):
                return Buffer(self.data.squeeze(dropped), self.poison.squeeze(dropped), self.owner)
        raise Unsupported(["a view that drops dimensions"])

    def reshaped(self, shape: list[int]) -> "Buffer":
        """A view in another shape.

        Raises:
            Unsupported: its elements are not next to each other.
        """
        data, poison = self.data.reshape(shape), self.poison.reshape(shape)
        if not (np.shares_memory(data, self.data) and np.shares_memory(poison, self.poison)):
            raise Unsupported(["a reshaped view of a part of memory"])
        return Buffer(data, poison, self.owner)


class OpaqueValue:
    """A value that carries no data, such as a fence or a device."""

    shape = ()

    def __repr__(self) -> str:
        return "token"


def has_poison(values: Iterable[Any]) -> bool:
    """Whether any of some values has a poison element, whatever their shapes."""
    return any(isinstance(one, Array) and one.poison is not None for one in values)


def merged(*arrays: Array) -> Numbers | None:
    """The mask of elements for which any of the arrays has poison."""
    out: Numbers | None = None
    for array in arrays:
        if array.poison is not None:
            out = array.poison if out is None else out | array.poison
    return out


def differ(one: Any, other: Any) -> Numbers:
    """Where numbers are not the same; all NaN are."""
    return np.asarray((one != other) & ((one == one) | (other == other)))
