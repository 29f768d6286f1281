"""Ops of StableHLO that move a window over a tensor.

Source: the StableHLO specification (https://openxla.org/stablehlo/spec).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as points
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.dialects.scans import along, apply_body
from reducer.miscompile.interpreter.dialects.stablehlo_indices import agreed, is_free_of_order
from reducer.miscompile.interpreter.dialects.stablehlo_regions import (
    check_monoid,
    product,
    reduced,
)
from reducer.miscompile.interpreter.dialects.stablehlo_shapes import surrounded
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.noise import is_active
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, has_poison
from reducer.miscompile.values.elements import Numbers

_TRUTH = re.compile(r"\b(?:true|false)\b")
_LAYOUT = re.compile(r"\[([^\]]*)\]x\[([^\]]*)\]->\[([^\]]*)\]")


@dataclass(frozen=True)
class Windows:
    """How windows lie in a tensor, with one number for each of its dimensions."""

    sizes: Sequence[int]
    strides: Sequence[int]
    dilations: Sequence[int]

    def counts(self, shape: Sequence[int]) -> list[int]:
        """How many windows there are along each dimension."""
        parts = zip(shape, self.sizes, self.strides, self.dilations, strict=True)
        spans = ((limit, (size - 1) * gap + 1, step) for limit, size, step, gap in parts)
        return [max((limit - span) // step + 1, 0) for limit, span, step in spans]

    def at(self, data: Numbers, point: Sequence[int]) -> Numbers:
        """The element at a point of every window."""
        counts = self.counts(data.shape)
        parts = zip(point, self.dilations, self.strides, counts, strict=True)
        where = (
            slice(n * gap, n * gap + step * count, step) if count else slice(0)
            for n, gap, step, count in parts
        )
        return data[tuple(where)]


def _numbers(op: Op, name: str, count: int) -> list[int]:
    """One number for each dimension; 1 if they are left out."""
    return op.integers(name) or [1] * count


def _padding(op: Op, count: int) -> tuple[list[int], list[int]]:
    """How many elements are added before and after each dimension."""
    given = op.integers("padding") or [0]
    both = given * (2 * count) if len(given) == 1 else given
    return both[::2], both[1::2]


@op("stablehlo.reduce_window")
def reduce_window(frame: Frame, op: Op, *operands: Array) -> tuple[Array, ...]:
    """What is around the operands, and between their elements, are the initial values."""
    inputs, initial = operands[: len(operands) // 2], operands[len(operands) // 2 :]
    rank = len(inputs[0].shape)
    sizes, strides, gaps, inner = (
        _numbers(op, name, rank)
        for name in ("window_dimensions", "window_strides", "window_dilations", "base_dilations")
    )
    low, high = _padding(op, rank)
    windows = Windows(sizes, strides, gaps)
    grown = [
        surrounded(one, value, low, high, [gap - 1 for gap in inner])
        for one, value in zip(inputs, initial, strict=True)
    ]
    rows = [
        [one.map(lambda data, at=at: windows.at(data, at)) for one in grown]
        for at in points(*map(range, sizes))
    ]
    return reduced(frame, op, rows, initial, windows.counts(grown[0].shape))


@op("stablehlo.select_and_scatter")
def select_and_scatter(frame: Frame, op: Op, tensor: Array, source: Array, initial: Array) -> Array:
    """Each window passes its number of the source on to the element that the first body chooses.

    The order in which elements are compared, and in which numbers meet, is open, so what depends on
    it is poison. Padding is never chosen, so the numbers of windows with nothing else are lost.

    Raises:
        Unsupported: the operands have poison, or elements are cut off.
        UndefinedBehavior: the second body with the initial value is no monoid.
    """
    rank = len(tensor.shape)
    sizes = _numbers(op, "window_dimensions", rank)
    low, high = _padding(op, rank)
    if has_poison([tensor, source, initial]) or min([*low, *high], default=0) < 0:
        raise Unsupported([f"{op.name} of poison, or of a part"])
    windows, none = Windows(sizes, _numbers(op, "window_strides", rank), [1] * rank), [0] * rank
    places = list(points(*map(range, sizes)))
    unordered = Array(tensor.data, tensor.data != tensor.data)
    grown = surrounded(unordered, Array(tensor.data.dtype.type(0)), low, high, none)
    inside = surrounded(Array(np.ones(tensor.shape, np.bool_)), Array(np.False_), low, high, none)
    rows = [(windows.at(grown.data, at), windows.at(inside.data, at)) for at in places]
    chosen = _chosen(frame, op, rows)
    other = len(rows) - 1 - _chosen(frame, op, rows[::-1])
    unclear = (chosen != other) & (chosen >= 0)
    for at in places:
        unclear = unclear | windows.at(grown.mask(), at)

    def combined(left: Sequence[Array], right: Sequence[Array]) -> list[Array]:
        return frame.in_batch(left[0].shape, [], lambda: frame.run(op.regions[1], (*left, *right)))

    if not is_active():
        start = initial.map(lambda data: np.broadcast_to(data, source.shape))
        check_monoid(op.regions[1], combined, [[source]], [start])

    def passed_on(order: Sequence[int]) -> Array:
        data = np.broadcast_to(initial.data, grown.shape).copy()
        poison = np.zeros(grown.shape, np.bool_)
        for number in order:
            old, mask = windows.at(data, places[number]), windows.at(poison, places[number])
            (new,) = combined([Array(old.copy())], [source])
            old[...] = np.where(chosen == number, new.data, old)
            mask |= unclear
        kept = tuple(slice(n, n + size) for n, size in zip(low, tensor.shape, strict=True))
        return Array(data[kept], poison[kept])

    found = passed_on(range(len(rows)))
    if is_free_of_order(op.regions[1]):
        return found
    return agreed(found, passed_on(range(len(rows) - 1, -1, -1)))


def _chosen(frame: Frame, op: Op, rows: Sequence[tuple[Numbers, Numbers]]) -> Numbers:
    """Which of the elements of each window its first body chooses; -1 if there are none."""
    best, found = rows[0][0], np.where(rows[0][1], 0, -1)
    for number, (data, inside) in enumerate(rows[1:], 1):
        (stays,) = apply_body(frame, op, Array(best), Array(data))
        replaced = inside & ((found < 0) | ~stays.data)
        best, found = np.where(replaced, data, best), np.where(replaced, number, found)
    return found


# ---- convolution --------------------------------------------------------------------------------


@op("stablehlo.convolution")
def convolution(frame: Frame, op: Op, left: Array, right: Array) -> Any:
    """Groups of features, or of batches, have kernels of their own."""
    layout = _LAYOUT.search(op.text("dimension_numbers"))
    if layout is None:
        raise Unsupported([f"{op.name} with {op.text('dimension_numbers')}"])
    rank = len(left.shape) - 2
    axes = [str(n) for n in range(rank)]
    ours, kernels, theirs = ([word.strip() for word in part.split(",")] for part in layout.groups())
    images = _ordered(left, ours, ["b", *axes, "f"])
    kernel = _ordered(right, kernels, [*axes, "i", "o"])
    patches = _patches(op, images, kernel.shape[:rank])
    kernel = kernel.map(lambda data: np.flip(data, _reversed(op)))
    features, batches = (op.integer(f"{name}_group_count", 1) for name in ("feature", "batch"))
    groups, axis = max(features, batches), 0 if batches > 1 else len(patches.shape) - 1
    parts = zip(_split(patches, axis, groups), _split(kernel, rank + 1, groups), strict=True)
    out: Any = [_of_group(op, part, weights, rank) for part, weights in parts]
    return _ordered(np.concatenate(out, -1), ["b", *axes, "f"], theirs)


def _ordered(array: Any, given: Sequence[str], wanted: Sequence[str]) -> Any:
    order = [list(given).index(name) for name in wanted]
    return array.transpose(order)


def _reversed(op: Op) -> tuple[int, ...]:
    """The axes along which the kernel is turned round."""
    words = _TRUTH.findall(op.text("window_reversal"))
    return tuple(n for n, word in enumerate(words) if word == "true")


def _patches(op: Op, images: Array, sizes: Sequence[int]) -> Array:
    """What each window sees: dimensions of the batch, of the windows, in a window, and features."""
    rank = len(sizes)
    strides, inner, gaps = (
        _numbers(op, name, rank) for name in ("window_strides", "lhs_dilation", "rhs_dilation")
    )
    low, high = _padding(op, rank)
    zero = Array(images.data.dtype.type(0))
    apart = [0, *(gap - 1 for gap in inner), 0]
    grown = surrounded(images, zero, [0, *low, 0], [0, *high, 0], apart)
    windows = Windows([1, *sizes, 1], [1, *strides, 1], [1, *gaps, 1])
    counts = windows.counts(grown.shape)

    def seen(data: Any) -> Any:
        every = [windows.at(data, (0, *at, 0)) for at in points(*map(range, sizes))]
        stacked = np.stack(every, -2) if every else np.zeros([*counts[:-1], 0, counts[-1]])
        return stacked.reshape([*counts[:-1], *sizes, counts[-1]])

    return grown.map(seen)


def _split(array: Array, axis: int, groups: int) -> list[Array]:
    size = array.shape[axis] // groups
    return [along(array, axis, slice(n * size, (n + 1) * size)) for n in range(groups)]


def _of_group(op: Op, patches: Array, kernel: Array, rank: int) -> Array:
    """Dimensions of the batch, of the windows, and of the features that come out."""
    rows, inside = list(range(rank + 1)), list(range(rank + 1, 2 * rank + 2))
    sums = list(range(rank + 1))
    return product(op, patches, kernel, ([], rows, inside), ([], [rank + 1], sums))
