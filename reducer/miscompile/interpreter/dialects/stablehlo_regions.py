"""Ops of StableHLO that reduce, multiply and sort, and its control flow.

Source: the StableHLO specification (https://openxla.org/stablehlo/spec).
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.dialects.scans import (
    NO_ORDER,
    TIE,
    ambiguous,
    apply_body,
    ranked,
    taken,
)
from reducer.miscompile.interpreter.dialects.stablehlo_indices import is_free_of_order, only_op
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame, steps
from reducer.miscompile.interpreter.noise import is_active, is_disturbing, note_rounding, zero_sign
from reducer.miscompile.interpreter.program import Op, Region
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.sums import AnyOrder, OtherOrders, contract, stepwise
from reducer.miscompile.interpreter.values import Array, has_poison
from reducer.miscompile.values.elements import Numbers, unsigned, wrapped

Combine = Callable[[Sequence[Array], Sequence[Array]], list[Array]]


@op("stablehlo.reduce")
def reduce(frame: Frame, op: Op, *operands: Array) -> tuple[Array, ...]:
    """In order, each step for all of the elements that remain. Any other order that leaves the
    elements where they are is as good, so others are tried to learn what rounding changes.

    Raises:
        Unsupported: the body cannot be vectorized.
    """
    inputs, totals = operands[: len(operands) // 2], list(operands[len(operands) // 2 :])
    axes = op.integers("dimensions")
    kept = [n for n in range(len(inputs[0].shape)) if n not in axes]
    shape = [inputs[0].shape[n] for n in kept]
    count = int(np.prod([inputs[0].shape[n] for n in axes], dtype=np.int64))
    columns = [one.transpose([*axes, *kept]).reshape([count, *shape]) for one in inputs]
    rows = [[one[n] for one in columns] for n in range(count)]
    return reduced(frame, op, rows, totals, shape)


def reduced(
    frame: Frame,
    op: Op,
    rows: list[list[Array]],
    initial: Sequence[Array],
    shape: Sequence[int],
) -> tuple[Array, ...]:
    """What the body of an op makes of rows of elements, each of the shape of the results.

    Raises:
        Unsupported: the body cannot be vectorized.
        UndefinedBehavior: the body with the initial values is no monoid.
    """
    totals = [one.map(lambda data: np.broadcast_to(data, shape)) for one in initial]

    def combined(left: Sequence[Array], right: Sequence[Array]) -> list[Array]:
        return _sized(apply_body(frame, op, *left, *right), shape)

    if not is_active():
        check_monoid(op.regions[0], combined, rows, totals)
        return tuple(_folded(combined, rows, totals))
    _note_order(op, rows, [np.broadcast_to(one.data, shape) for one in totals])
    if zero_sign() > 0:
        return tuple(_folded(lambda left, right: combined(right, left), rows[::-1], totals))
    halved = _in_halves(combined, rows, totals)
    by_size = _by_size(op, rows)
    if by_size is rows:
        return tuple(halved)
    extreme = _in_halves(combined, by_size, totals)
    return tuple(starmap(_unless_infinite, zip(halved, extreme, strict=True)))


_SAMPLED = 2
"""The rows whose elements are tried as operands of a body, beside the same numbers each time."""
_PROBES = 2, 3, 0
_MONOID_TOLERANCE = 0.05
_IDEMPOTENT = frozenset(f"stablehlo.{name}" for name in ("and", "maximum", "minimum", "or"))


def check_monoid(
    body: Region, combined: Combine, rows: list[list[Array]], neutral: list[Array]
) -> None:
    """Check what an op demands of its body, and no verifier checks, on some elements.

    Of a single op that is known to be associative, only the initial values are checked, unless it
    does not matter how often they come in. Elements that are not finite, or are the initial value
    itself, say nothing: which of several equal ones is taken differs among bodies that people
    write.

    Raises:
        UndefinedBehavior: the body is not associative, or the initial values are not neutral.
    """
    known = only_op(body) if is_free_of_order(body) else ""
    if known in _IDEMPOTENT or has_poison([one for several in (*rows, neutral) for one in several]):
        return
    probes = [[one.map(partial(np.full_like, fill_value=n)) for one in neutral] for n in _PROBES]
    some = [*probes, *rows[:_SAMPLED], *([_turned(one) for one in row] for row in rows[:_SAMPLED])]
    some = some[:2] if known else some
    for a, b, c in zip(some, [*some[1:], *some[:1]], [*some[2:], *some[:2]], strict=False):
        first, *others = (_is_telling(one, neutral) for one in (a, b, c))
        for one in (combined(neutral, a), combined(a, neutral)):
            if not _same(one, a, first):
                raise UndefinedBehavior("the initial values of a reduction are not neutral")
        if known:
            continue
        left, right = combined(combined(a, b), c), combined(a, combined(b, c))
        if not _same(left, right, np.logical_and.reduce([first, *others])):
            raise UndefinedBehavior("the body of a reduction is not associative")


def _turned(array: Array) -> Array:
    return array.map(lambda data: np.roll(data, 1))


def _is_telling(values: list[Array], neutral: list[Array]) -> Numbers:
    first = np.asarray(values[0].data)
    plain = first.astype(np.complex128 if first.dtype.kind == "c" else np.float64)
    return np.asarray(np.isfinite(plain) & (first != neutral[0].data))


def _same(ours: list[Array], theirs: list[Array], where: Numbers) -> bool:
    """Whether two lists of values are the same there but for rounding."""
    for one, other in zip(ours, theirs, strict=True):
        if one.data.dtype.kind in "biu":
            same = one.data == other.data
        else:
            a, b = (np.asarray(side.data).astype(np.complex128) for side in (one, other))
            near = np.abs(a - b) <= _MONOID_TOLERANCE * np.maximum(np.abs(a), np.abs(b)) + 1e-6
            same = near | ~np.isfinite(a) | ~np.isfinite(b)
        if not np.all(same | ~where):
            return False
    return True


def _note_order(op: Op, rows: list[list[Array]], initial: list[Numbers]) -> None:
    """Note whether another order of a reduction of small floats may round."""
    if not any(type_.number.is_small_float for type_ in op.result_types):
        return
    name = op.regions[0].block.ops[0].name
    if name in ("stablehlo.maximum", "stablehlo.minimum") and _is_plain(op):
        return
    ways = AnyOrder.start(op.result, initial[0][..., np.newaxis])
    if ways is None or name != "stablehlo.add" or not _is_plain(op) or not rows:
        note_rounding(True)
        return
    ways.fold((...,), np.stack([row[0].data for row in rows], -1), (-1,))
    ways.note()


def _is_plain(op: Op) -> bool:
    """Whether the body is a single op, of both numbers."""
    return only_op(op.regions[0]) != ""


def _in_halves(combined: Combine, rows: list[list[Array]], totals: list[Array]) -> list[Array]:
    while len(rows) > 1:
        pairs = zip(rows[::2], rows[1::2], strict=False)
        rows = [*starmap(combined, pairs), *rows[len(rows) - len(rows) % 2 :]]
    return _folded(combined, rows, totals)


def _unless_infinite(usual: Array, extreme: Array) -> Array:
    """What an order gives that no compiler takes, only where it leaves the range of the type: it
    also rounds more than any other.
    """
    is_finite = np.isfinite(extreme.data.astype(np.float64))
    return Array(np.where(is_finite, usual.data, extreme.data), usual.poison)


_MONOIDS: dict[str, Callable[[Any], Any]] = {
    "stablehlo.add": np.negative,
    "stablehlo.multiply": lambda data: -np.abs(data),
}
"""Ops that do not tell their operands apart; by what to sort these to have overflow what can."""


def _by_size(op: Op, rows: list[list[Array]]) -> list[list[Array]]:
    """The rows of a sum or product of floats with the largest numbers first, place by place."""
    key = _MONOIDS.get(op.regions[0].block.ops[0].name)
    if key is None or not _is_plain(op) or not op.result.is_float or len(rows) < 2:
        return rows
    if any(len(row) > 1 or row[0].poison is not None for row in rows):
        return rows
    stacked = np.stack([row[0].data for row in rows])
    order = np.argsort(key(stacked.astype(np.float64)), axis=0, kind="stable")
    return [[Array(one)] for one in np.take_along_axis(stacked, order, axis=0)]


def _folded(combined: Combine, rows: Sequence[list[Array]], totals: list[Array]) -> list[Array]:
    for row in rows:
        totals = combined(totals, row)
    return totals


def _sized(values: Sequence[Array], shape: Sequence[int]) -> list[Array]:
    return [one.map(lambda data: np.broadcast_to(data, shape)) for one in values]


@op("stablehlo.map")
def map_(frame: Frame, op: Op, *inputs: Array) -> Array:
    (out,) = _sized(apply_body(frame, op, *inputs), inputs[0].shape)
    return out


# ---- products -----------------------------------------------------------------------------------

_NUMBERS = r"{name} = \[([\d, ]*)\]"


def _dimensions(op: Op, name: str) -> list[int]:
    match = re.search(_NUMBERS.format(name=name), op.text("dot_dimension_numbers"))
    return [int(word) for word in match[1].split(",") if word.strip()] if match else []


@op("stablehlo.dot_general")
def dot_general(frame: Frame, op: Op, left: Array, right: Array) -> Array:
    """Batch dimensions first, then those of the left that remain, then those of the right."""
    names = [f"{side}_{kind}_dimensions" for kind in ("batching", "contracting")
             for side in ("lhs", "rhs")]  # fmt: skip
    batches_a, batches_b, sums_a, sums_b = (_dimensions(op, name) for name in names)
    rows = [n for n in range(len(left.shape)) if n not in (*batches_a, *sums_a)]
    columns = [n for n in range(len(right.shape)) if n not in (*batches_b, *sums_b)]
    return product(op, left, right, (batches_a, rows, sums_a), (batches_b, columns, sums_b))


@op("stablehlo.dot")
def dot(frame: Frame, op: Op, left: Array, right: Array) -> Array:
    """Of matrices and vectors: the last dimension of one with the first of the other."""
    last = len(left.shape) - 1
    return product(
        op,
        left,
        right,
        ([], list(range(last)), [last]),
        ([], list(range(1, len(right.shape))), [0]),
    )


def product(
    op: Op,
    left: Array,
    right: Array,
    from_left: tuple[list[int], list[int], list[int]],
    from_right: tuple[list[int], list[int], list[int]],
) -> Array:
    """A sum of products. Each side's dimensions are those of the batch, its own, and those that are
    summed; so are the result's.
    """
    result = op.result
    batch = [left.shape[n] for n in from_left[0]]
    rows = [left.shape[n] for n in from_left[1]]
    columns = [right.shape[n] for n in from_right[1]]
    sums = [left.shape[n] for n in from_left[2]]
    a = np.transpose(_wide(left, op, 0), [n for part in from_left for n in part])
    b = np.transpose(_wide(right, op, 1), [n for part in from_right for n in part])
    a = a.reshape([*batch, *rows, *[1] * len(columns), *sums])
    b = b.reshape([*batch, *[1] * len(rows), *columns, *sums])
    sizes = (*batch, *rows, *columns, *sums)
    reduced = tuple(range(len(sizes) - len(sums), len(sizes)))
    out = contract(a, b, sizes, reduced)
    if out is None:
        out = np.asarray((a * b).sum(axis=reduced, keepdims=True))
    ways_to_round = AnyOrder.start(result, np.zeros(out.shape)) if result.is_float else None
    if ways_to_round is not None:
        ways_to_round.contract(a, b, sizes, reduced)
        ways_to_round.note()
    if is_disturbing(result):
        ways = OtherOrders.start(np.add, result, np.zeros(out.shape))
        ways.contract(a, b, sizes, reduced)
        if result.is_small_float:
            ways.forwards = stepwise(a, b, reduced, result)
        out = ways.disturbed(out.astype(result.dtype))
    out = out.reshape([*batch, *rows, *columns])
    return Array(wrapped(out, result) if result.is_integer else out.astype(result.dtype))


def _wide(array: Array, op: Op, number: int) -> Any:
    """The numbers in the type in which products are summed."""
    if array.poison is not None:
        raise Unsupported([f"{op.name} of poison"])
    element = op.operand_types[number].number
    if element.is_integer:
        data = unsigned(array.data, element) if element.unsigned else array.data
        return data.astype(np.int64)
    kind = np.promote_types(element.wide, op.result.wide)
    return array.data.astype(kind)


# ---- sorting ------------------------------------------------------------------------------------


@op("stablehlo.sort")
def sort(frame: Frame, op: Op, *inputs: Array) -> tuple[Array, ...]:
    """Elements that the comparator does not tell apart keep their order if `is_stable` says so.

    Otherwise any order of them is right; an operand that differs among them is then poison.
    """
    axis = op.integer("dimension", -1)
    moved = [one.map(lambda data: np.moveaxis(data, axis, -1)) for one in inputs]
    order, tied = ranked(frame, op, moved)
    free = NO_ORDER if op.text("is_stable", "false") == "true" else TIE
    rows = [ambiguous(taken(one, order), tied >= free) for one in moved]
    return tuple(one.map(lambda data: np.moveaxis(data, -1, axis)) for one in rows)


# ---- control flow -------------------------------------------------------------------------------


@op("stablehlo.composite")
def composite(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    """What its decomposition computes."""
    return tuple(frame.interpreter.invoke(op.symbol("decomposition"), operands))


@op("stablehlo.if", "stablehlo.case")
def choose(frame: Frame, op: Op, which: Array) -> tuple[Any, ...]:
    """An index out of range takes the last branch."""
    number = frame.index(which, "a choice")
    if op.name == "stablehlo.if":
        number = 0 if number else 1
    last = len(op.regions) - 1
    return tuple(frame.run(op.regions[number if 0 <= number <= last else last], ()))


@op("stablehlo.while")
def loop(frame: Frame, op: Op, *values: Any) -> tuple[Any, ...]:
    condition, body = op.regions
    for _ in steps():
        (goes_on,) = frame.run(condition, values)
        if not frame.index(goes_on, "a loop"):
            break
        values = tuple(frame.run(body, values))
    return tuple(values)
