"""Ops of StableHLO that read and write slices at computed indices.

Source: the StableHLO specification (https://openxla.org/stablehlo/spec).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.dialects.scans import apply_body
from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op, Region
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, differ
from reducer.miscompile.values.elements import unsigned

Place = tuple[int, ...]


@dataclass(frozen=True)
class Slices:
    """Where the slices of a tensor begin: one slice for each point of a batch of indices.

    `mapped` has the dimension of the tensor for each number of an index, `batched` the pairs of a
    dimension of the tensor and the one of the indices that it goes along with, and `dropped` the
    dimensions of the tensor that a slice of the other side does not have.
    """

    indices: Any
    vector: int
    mapped: Sequence[int]
    batched: Sequence[tuple[int, int]]
    dropped: Sequence[int]
    rank: int

    @cached_property
    def _rows(self) -> Any:
        """The indices with their numbers in the last dimension."""
        if self.vector == self.indices.ndim:
            return self.indices[..., np.newaxis]
        return np.moveaxis(self.indices, self.vector, -1)

    @property
    def batch(self) -> Place:
        shape: Place = self._rows.shape[:-1]
        return shape

    def points(self) -> Iterator[tuple[Place, list[int]]]:
        """Each point of the batch, and where its slice begins."""
        for point in np.ndindex(*self.batch):
            start = [0] * self.rank
            for dim, index in zip(self.mapped, self._rows[point], strict=True):
                start[dim] = int(index)
            for dim, along in self.batched:
                start[dim] = point[along - (along > self.vector)]
            yield point, start

    def whole(self, sizes: Sequence[int]) -> list[int]:
        """The sizes of a slice with the dimensions that were dropped."""
        given = iter(sizes)
        return [1 if dim in self.dropped else next(given) for dim in range(self.rank)]


def _reader(op: Op, attribute: str) -> Callable[[str], list[int]]:
    """Reads a list, or a number, of an attribute that has several; one that is missing is empty."""
    text = op.text(attribute)

    def read(name: str) -> list[int]:
        match = re.search(rf"\b{name} = \[?([\d, ]*)", text)
        return [int(word) for word in match[1].split(",") if word.strip()] if match else []

    return read


def _vector(read: Callable[[str], list[int]]) -> int:
    """The dimension of the indices that has the numbers of one index."""
    (dim,) = read("index_vector_dim") or [0]
    return dim


def _numbers(frame: Frame, op: Op, position: int, indices: Array) -> Any:
    """The indices; those of a `ui` type have no sign."""
    data = frame.known(indices, "an index")
    element = op.operand_types[position].number
    return unsigned(data, element) if element.unsigned else data


def _promised(op: Op, name: str) -> bool:
    return op.text(name, "false") == "true"


def _check_order(op: Op, starts: list[list[int]]) -> None:
    """Check a promise about the order of the indices.

    Raises:
        UndefinedBehavior: it does not hold.
    """
    if _promised(op, "indices_are_sorted") and starts != sorted(starts):
        raise UndefinedBehavior("indices that are said to be sorted are not")


# ---- gather -------------------------------------------------------------------------------------


@op("stablehlo.gather")
def gather(frame: Frame, op: Op, tensor: Array, indices: Array) -> Array:
    """Starts are clamped, so that each slice is in the tensor."""
    read = _reader(op, "dimension_numbers")
    batched = read("operand_batching_dims")
    slices = Slices(
        _numbers(frame, op, 1, indices),
        _vector(read),
        read("start_index_map"),
        list(zip(batched, read("start_indices_batching_dims"), strict=True)),
        [*read("collapsed_slice_dims"), *batched],
        len(tensor.shape),
    )
    sizes = op.integers("slice_sizes")
    limits = [size - length for size, length in zip(tensor.shape, sizes, strict=True)]
    points = [
        [min(max(start, 0), limit) for start, limit in zip(starts, limits, strict=True)]
        for _, starts in slices.points()
    ]
    _check_order(op, points)
    kept = [size for dim, size in enumerate(sizes) if dim not in slices.dropped]
    offsets = read("offset_dims")
    rest = [dim for dim in range(len(slices.batch) + len(kept)) if dim not in offsets]

    def take(data: Any) -> Any:
        out = np.empty((len(points), *kept), data.dtype)
        for number, starts in enumerate(points):
            out[number] = data[_window(starts, sizes)].reshape(kept)
        out = out.reshape((*slices.batch, *kept))
        return np.transpose(out, np.argsort([*rest, *offsets]))

    return tensor.map(take)


def _window(starts: Sequence[int], sizes: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))


@op("stablehlo.torch_index_select")
def torch_index_select(frame: Frame, op: Op, tensor: Array, indices: Array) -> Array:
    """Parts of one dimension, for each point of some first ones; out of bounds they are poison."""
    numbers = np.asarray(_numbers(frame, op, 1, indices)).astype(np.int64)
    axis = op.integer("dim") % len(tensor.shape)
    first = op.integer("batch_dims") % (numbers.ndim + 1)
    outside = (numbers < 0) | (numbers >= tensor.shape[axis])
    if outside.any():
        frame.saw_hazard(op, "an index out of bounds")
    where = np.where(outside, 0, numbers)
    shape = (*tensor.shape[:axis], *numbers.shape[first:], *tensor.shape[axis + 1 :])

    def take(data: Any) -> Any:
        out = np.empty(shape, data.dtype)
        for point in np.ndindex(*numbers.shape[:first]) if data.size else ():
            out[point] = np.take(data[point], where[point], axis - first)
        return out

    found = tensor.map(take)
    sizes = (*numbers.shape[:first], *[1] * (axis - first), *numbers.shape[first:])
    bad = outside.reshape(sizes + (1,) * (len(shape) - len(sizes)))
    return Array(found.data, found.mask() | bad)


# ---- scatter ------------------------------------------------------------------------------------

_IN_ANY_ORDER = frozenset(
    f"stablehlo.{name}" for name in ("add", "and", "maximum", "minimum", "multiply", "or", "xor")
)


@op("stablehlo.scatter")
def scatter(frame: Frame, op: Op, *operands: Array) -> tuple[Array, ...]:
    """The updates come in any order, so what depends on it is poison.

    An update that is out of bounds is dropped. Of one that is so in part, the specification drops
    that part and XLA all of it, so the part that is inside is poison.
    """
    count = len(operands) // 2
    targets, indices, updates = operands[:count], operands[count], operands[count + 1 :]
    read = _reader(op, "scatter_dimension_numbers")
    batched = read("input_batching_dims")
    slices = Slices(
        _numbers(frame, op, count, indices),
        _vector(read),
        read("scatter_dims_to_operand_dims"),
        list(zip(batched, read("scatter_indices_batching_dims"), strict=True)),
        [*read("inserted_window_dims"), *batched],
        len(targets[0].shape),
    )
    within = read("update_window_dims")
    first = [dim for dim in range(len(updates[0].shape)) if dim not in within]
    rows = [one.transpose([*first, *within]) for one in updates]
    whole = slices.whole([updates[0].shape[dim] for dim in within])
    points = list(slices.points())
    _check_order(op, [starts for _, starts in points])
    into = _Targets(frame, op, targets, whole)
    results = into.updated(points, rows)
    if into.met_twice and not is_free_of_order(op.regions[0]):
        backwards = into.updated(points[::-1], rows)
        results = [agreed(*both) for both in zip(results, backwards, strict=True)]
    return tuple(results)


def is_free_of_order(body: Region) -> bool:
    """Whether a body combines its arguments by one op that may be applied in any order."""
    return only_op(body) in _IN_ANY_ORDER


def only_op(body: Region) -> str:
    """The name of the op that a body returns the result of, if it is of all arguments; else ''."""
    first, *others = body.block.ops
    is_whole = len(others) == 1 and list(others[0].operands) == list(first.results)
    return first.name if is_whole and set(first.operands) == set(body.block.arguments) else ""


def agreed(one: Array, other: Array) -> Array:
    """Poison where two arrays differ."""
    return Array(one.data, one.mask() | other.mask() | differ(one.data, other.data))


class _Targets:
    """The tensors that a scatter updates; `met_twice` is whether updates overlapped."""

    def __init__(self, frame: Frame, op: Op, targets: Sequence[Array], sizes: list[int]) -> None:
        self._frame = frame
        self._op = op
        self._targets = targets
        self._sizes = sizes
        self.met_twice = False

    def updated(
        self, points: Sequence[tuple[Place, list[int]]], rows: Sequence[Array]
    ) -> list[Array]:
        """The tensors after the updates, one after the other.

        Raises:
            UndefinedBehavior: updates overlap, in spite of a promise.
        """
        shape = self._targets[0].shape
        data = [one.data.copy() for one in self._targets]
        poison = [one.mask().copy() for one in self._targets]
        seen = np.zeros(shape, np.bool_)
        for point, starts in points:
            clipped = [
                slice(max(start, 0), max(min(start + size, limit), 0))
                for start, size, limit in zip(starts, self._sizes, shape, strict=True)
            ]
            where = tuple(clipped)
            lengths = [max(one.stop - one.start, 0) for one in clipped]
            if 0 in lengths:
                continue
            if lengths != self._sizes:
                for mask in poison:
                    mask[where] = True
                continue
            if seen[where].any():
                self.met_twice = True
                if _promised(self._op, "unique_indices"):
                    raise UndefinedBehavior("a scatter to unique indices meets one twice")
            seen[where] = True
            old = [Array(one[where], mask[where]) for one, mask in zip(data, poison, strict=True)]
            new = [row[point].reshape(self._sizes) for row in rows]
            for number, value in enumerate(apply_body(self._frame, self._op, *old, *new)):
                data[number][where] = value.data
                poison[number][where] = value.mask()
        return [Array(*both) for both in zip(data, poison, strict=True)]
