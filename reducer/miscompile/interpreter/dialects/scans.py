"""Ops of iree_linalg_ext that go along one dimension: comparisons, scans, sorts.

Source: IREE's documentation, 'iree_linalg_ext' dialect. Sorting is specified by that of XLA.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import Frame, can_batch
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op, terminators
from reducer.miscompile.interpreter.values import Array

terminators(["iree_linalg_ext.yield"])

MAX_PAIRS = 1 << 24
"""The maximum number of comparisons at once."""


def apply_body(frame: Frame, op: Op, *arguments: Array) -> list[Any]:
    """The body of an op for all points at once; the arguments are arrays of one shape.

    Raises:
        Unsupported: the body has ops that cannot be vectorized.
    """
    if not can_batch(op):
        raise Unsupported([f"{op.name} with such a body"])
    shape = np.broadcast_shapes(*(one.shape for one in arguments))
    return frame.in_batch(shape, [], lambda: frame.run(op.regions[0], arguments))


def along(array: Array, axis: int, index: Any) -> Array:
    """The part of an array at an index, or at a slice, of one dimension."""
    return array[(slice(None),) * axis + (index,)]


@op("iree_linalg_ext.arg_compare")
def arg_compare(frame: Frame, op: Op, *operands: Array) -> tuple[Array, Array]:
    """The first element is the best so far; the body says whether another one replaces it."""
    groups = [operands[group] for group in op.segments]
    values = groups[0][0]
    given = groups[1][0] if len(groups) > 4 and groups[1] else None
    base = frame.index(groups[-1][0]) if groups[-1] else 0
    axis = op.integer("dimension")
    kind = op.result_types[1].number.dtype

    def index(position: int) -> Any:
        if given is not None:
            return along(given, axis, position)
        shape = best.shape
        return Array(np.full(shape, position + base, kind))

    best: Any = along(values, axis, 0)
    where: Any = index(0)
    for position in range(1, values.shape[axis]):
        candidate: Any = along(values, axis, position)
        (better,) = apply_body(frame, op, candidate, best)
        where = np.where(better, index(position), where)
        best = np.where(better, candidate, best)
    return best, where


@op("iree_linalg_ext.scan")
def scan(frame: Frame, op: Op, values: Array, output: Array, initial: Array) -> tuple[Any, ...]:
    """The combinations of all elements up to each one, or before it if not inclusive."""
    axis, inclusive = op.integer("dimension"), op.text("inclusive") == "true"
    count = values.shape[axis]
    if not count:
        return output, initial
    state: Any = along(values, axis, 0) if inclusive else initial
    parts = [state]
    for position in range(1, count):
        taken = position if inclusive else position - 1
        (state,) = apply_body(frame, op, state, along(values, axis, taken))
        parts.append(state)
    return np.stack([np.broadcast_to(part, initial.shape) for part in parts], axis), state


# ---- sorting ----------------------------------------------------------------------------------


@op("iree_linalg_ext.sort")
def sort(frame: Frame, op: Op, *outputs: Array) -> tuple[Array, ...]:
    """Elements that the body does not tell apart keep no order unless the program is stable.

    Where such elements differ, each of them may come first, so all of them are poison.
    """
    axis = op.integer("dimension")
    moved = [one.map(lambda data: np.moveaxis(data, axis, -1)) for one in outputs]
    order, tied = ranked(frame, op, moved)
    free = NO_ORDER if frame.interpreter.stable_sorts else TIE
    sorted_ = [ambiguous(taken(one, order), tied >= free) for one in moved]
    return tuple(one.map(lambda data: np.moveaxis(data, -1, axis)) for one in sorted_)


TIE, NO_ORDER = 1, 2
"""Two neighbors that compare equal, and two in a row of which the comparison makes no order."""


def ranked(frame: Frame, op: Op, rows: Sequence[Array]) -> tuple[Any, Any]:
    """The stable order along the last dimension, and which neighbors in it are no order.

    The latter are 0, `TIE` or `NO_ORDER`. Sorting by a comparison that is no strict weak order,
    such as a plain less-than if there are NaNs, gives whatever the algorithm does.
    """
    count = rows[0].shape[-1]
    total = int(np.prod(rows[0].shape[:-1], dtype=np.int64))
    if count * count * total <= MAX_PAIRS:
        return _ranked(frame, op, rows)
    if count * count > MAX_PAIRS:
        raise Unsupported([f"{op.name} of {count} elements"])
    flat = [one.reshape(-1, count) for one in rows]
    parts = [
        _ranked(frame, op, [along(one, 0, slice(n, n + 1)) for one in flat]) for n in range(total)
    ]
    shape = rows[0].shape
    order, tied = (
        np.concatenate(side).reshape((*shape[:-1], -1)) for side in zip(*parts, strict=True)
    )
    return order, tied


def _ranked(frame: Frame, op: Op, rows: Sequence[Array]) -> tuple[Any, Any]:
    left, right = [one[..., :, None] for one in rows], [one[..., None, :] for one in rows]
    arguments = [side for pair in zip(left, right, strict=True) for side in pair]
    (before,) = apply_body(frame, op, *arguments)
    count = rows[0].shape[-1]
    shape = (*rows[0].shape, count)
    first = np.broadcast_to(frame.known(before, "an order"), shape)
    second = np.swapaxes(first, -1, -2)
    same = first == second
    earlier = np.tri(count, count, -1, dtype=np.bool_)
    rank = ((second & ~first) | (same & earlier)).sum(axis=-1)
    order = np.argsort(rank, axis=-1, kind="stable")
    tied = _neighbors(same, order).astype(np.int8)
    tied[_neighbors(first & second, order)] = NO_ORDER  # each comes before the other
    strict = first & ~second  # a body may compare with "less or equal"
    ahead = np.take_along_axis(
        np.take_along_axis(strict, order[..., None], -2), order[..., None, :], -1
    )
    zero = np.zeros((*tied.shape[:-1], 1), np.int64)
    group = np.concatenate([zero, np.cumsum(tied == 0, -1)], -1)
    orderly = (ahead == (group[..., :, None] < group[..., None, :])).all((-1, -2))
    return order, np.where(orderly[..., None], tied, np.int8(NO_ORDER))


def _neighbors(pairs: Any, order: Any) -> Any:
    """What holds for each element and the next one in an order, of what holds for pairs."""
    moved = np.take_along_axis(pairs, order[..., None], -2)
    return np.diagonal(np.take_along_axis(moved, order[..., None, :], -1), 1, -2, -1)


def taken(rows: Array, order: Any) -> Array:
    """The elements along the last dimension in some order."""
    return rows.map(lambda data: np.take_along_axis(data, order, -1))


def ambiguous(rows: Array, tied: Any) -> Array:
    """Rows whose elements are poison in groups of ties that are not all the same number."""
    count = rows.shape[-1]
    if count < 2 or not tied.any():
        return rows
    data = rows.data
    unequal = (data[..., 1:] != data[..., :-1]) & tied
    if not unequal.any():
        return rows
    group = np.concatenate([np.zeros((*tied.shape[:-1], 1), np.int64), np.cumsum(~tied, -1)], -1)
    bad = np.zeros(rows.shape, np.bool_)
    for place in np.argwhere(unequal):
        row = tuple(place[:-1])
        bad[row] |= group[row] == group[row][place[-1]]
    return Array(data, rows.mask() | bad)


@op("iree_linalg_ext.topk")
def topk(frame: Frame, op: Op, *operands: Array) -> tuple[Array, ...]:
    """The first elements in the order of the body, with their indices; the first of equal ones.

    Which is the first, if the program gives the indices, may be read in two ways: that of the lower
    position, and that of the lower index, which is what the compiler takes. Where these differ, the
    indices of equal elements are poison.
    """
    inputs, outputs = operands[: -len(op.results)], operands[-len(op.results) :]
    axis = op.integer("dimension")
    moved = [one.map(lambda data: np.moveaxis(data, axis, -1)) for one in inputs]
    values = moved[0]
    shape = values.shape
    if len(moved) > 1:
        indices = moved[1]
    else:
        kind = op.result_types[1].number.dtype
        indices = Array(np.broadcast_to(np.arange(shape[-1], dtype=kind), shape))
    wanted = outputs[0].shape[axis]
    if wanted > shape[-1]:
        raise Unsupported([f"{op.name} of more elements than there are"])
    order, tied = ranked(frame, op, [values])
    chosen = [taken(one, order) for one in (values, indices)]
    numbers = chosen[1].data
    free = TIE if ((numbers[..., 1:] < numbers[..., :-1]) & (tied > 0)).any() else NO_ORDER
    chosen = [
        ambiguous(one, tied >= least) for one, least in zip(chosen, (NO_ORDER, free), strict=True)
    ]
    return tuple(one.map(lambda data: np.moveaxis(data[..., :wanted], -1, axis)) for one in chosen)
