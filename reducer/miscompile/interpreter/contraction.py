"""Sums of products as matrix products, for which NumPy has fast code."""

from typing import Any

import numpy as np

from reducer.miscompile.interpreter.elements import Numbers

MAX_COPY = 1 << 25
"""The maximum number of elements that a factor takes when its windows are written out."""

_EXACT = 1 << 53
"""Integers below this are exact in f64, whose matrix product is much faster."""


def contract(
    left: Numbers, right: Numbers, sizes: tuple[int, ...], reduced: tuple[int, ...]
) -> Numbers | None:
    """The sum of `left * right` along some loops, whose axes stay with size 1.

    Each axis of the factors has the size of the loop, or 1 if the factor does not depend on it.
    None if a loop is reduced on which at most one factor depends.
    """
    loops = range(len(sizes))
    a, b = padded(left, len(sizes)), padded(right, len(sizes))
    in_a = [a.shape[n] != 1 or sizes[n] == 1 for n in loops]
    in_b = [b.shape[n] != 1 or sizes[n] == 1 for n in loops]
    if any(not (in_a[n] and in_b[n]) for n in reduced):
        return None
    if any(not (in_a[n] or in_b[n]) for n in loops):
        return None
    kept = [n for n in loops if n not in reduced]
    batch = [n for n in kept if in_a[n] and in_b[n]]
    rows = [n for n in kept if in_a[n] and not in_b[n]]
    columns = [n for n in kept if in_b[n] and not in_a[n]]
    for split in (rows, columns, batch):
        if max(a.size, b.size) > MAX_COPY and split and sizes[split[0]] > 1:
            return _halves(a, b, sizes, reduced, split[0])

    def count(group: list[int] | tuple[int, ...]) -> int:
        return int(np.prod([sizes[n] for n in group], dtype=np.int64))

    def arranged(data: Numbers, order: list[int], shape: tuple[int, ...]) -> Numbers:
        rest = [n for n in loops if n not in order]
        return np.transpose(data, [*order, *rest]).reshape(shape)

    lefts = arranged(a, [*batch, *rows, *reduced], (count(batch), count(rows), count(reduced)))
    rights = arranged(
        b, [*batch, *reduced, *columns], (count(batch), count(reduced), count(columns))
    )
    out = _product(lefts, rights)
    order = [*batch, *rows, *columns]
    out = out.reshape([sizes[n] for n in order])
    moved = np.transpose(out, [order.index(n) for n in kept])
    return np.asarray(moved).reshape([1 if n in reduced else sizes[n] for n in loops])


def padded(data: Numbers, loops: int) -> Numbers:
    """A factor with an axis for each loop."""
    return data.reshape((1,) * (loops - data.ndim) + data.shape) if data.ndim < loops else data


def _halves(
    a: Numbers, b: Numbers, sizes: tuple[int, ...], reduced: tuple[int, ...], axis: int
) -> Numbers | None:
    middle = sizes[axis] // 2
    parts: list[Any] = []
    for start, stop in ((0, middle), (middle, sizes[axis])):
        where = (slice(None),) * axis + (slice(start, stop),)
        pair = [data[where] if data.shape[axis] != 1 else data for data in (a, b)]
        smaller = (*sizes[:axis], stop - start, *sizes[axis + 1 :])
        parts.append(contract(pair[0], pair[1], smaller, reduced))
    if any(part is None for part in parts):
        return None
    return np.concatenate(parts, axis)


def _product(a: Numbers, b: Numbers) -> Numbers:
    if a.dtype.kind == "i":
        terms = a.shape[2]
        largest = _magnitude(a) * _magnitude(b) * max(terms, 1)
        if largest < _EXACT:
            exact = np.matmul(a.astype(np.float64), b.astype(np.float64))
            return np.asarray(exact.astype(np.int64).astype(a.dtype))
    return np.asarray(np.matmul(a, b))


def _magnitude(data: Numbers) -> int:
    return max(abs(int(data.max())), abs(int(data.min()))) if data.size else 0
