"""Vectors as values: broadcasts, elements, slices, masks, reductions and bits.

Source: MLIR language reference, 'vector' dialect. Reductions of floats may be done in any order;
here it is that of the elements. What a mask leaves out takes no part. The first element has the
lowest bits.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.ir.affine import AffineMap
from reducer.miscompile.interpreter.attributes import DYNAMIC
from reducer.miscompile.interpreter.dialects.tensors import placed
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.floats import maximum, maxnum, minimum, minnum
from reducer.miscompile.interpreter.interpreter import Frame, check_size
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op, rows, terminators
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.values.elements import (
    Element,
    Numbers,
    from_bits,
    signed,
    to_bits,
    unsigned,
    wrapped,
)

terminators(["vector.yield"])

_KIND = re.compile(r"kind<(\w+)>")


# ---- shapes -------------------------------------------------------------------------------------


def _strided(op: Op, sizes: Sequence[int]) -> tuple[slice, ...]:
    """A slice of some sizes; the strides of leading dimensions, of which one is taken, are 1."""
    starts, strides = op.integers("offsets"), op.integers("strides")
    strides = [1] * (len(starts) - len(strides)) + strides
    return tuple(
        slice(at, at + (size - 1) * by + 1, by)
        for at, size, by in zip(starts, sizes, strides, strict=True)
    )


def _shuffled(op: Op, *rows: Any) -> Array:
    chosen = np.array(op.integers("mask"), np.int64)
    whole: Any = np.concatenate([np.atleast_1d(one) for one in rows])
    nothing = (chosen < 0).reshape((-1,) + (1,) * (whole.data.ndim - 1))
    return Array(whole.data[np.maximum(chosen, 0)], whole.mask()[np.maximum(chosen, 0)] | nothing)


rows(
    {
        "vector.broadcast vector.splat": lambda op, a: np.broadcast_to(a, op.shape),
        "vector.shape_cast": lambda op, a: a.reshape(op.shape),
        "vector.transpose": lambda op, a: a.transpose(op.integers("permutation")),
        "vector.from_elements": lambda op, *elements: np.stack(elements).reshape(op.shape),
        "vector.to_elements": lambda op, a: tuple(
            a.reshape(-1)[number] for number in range(a.data.size)
        ),
        "vector.step": lambda op: Array(np.arange(*op.shape, dtype=np.int64)),
        "vector.extract_strided_slice": lambda op, a: a[_strided(op, op.integers("sizes"))],
        "vector.shuffle": _shuffled,
        "vector.interleave": lambda op, *two: np.stack(two, -1).reshape(op.shape),
        "vector.deinterleave": lambda op, a: (a[..., ::2], a[..., 1::2]),
        "vector.constant_mask": lambda op: Array(_box(op.shape, op.integers("mask_dim_sizes"))),
    }
)


@op("vector.insert_strided_slice")
def insert_strided_slice(frame: Frame, op: Op, part: Array, target: Array) -> Array:
    sizes = [1] * (target.data.ndim - part.data.ndim) + list(part.shape)
    return placed(target, _strided(op, sizes), part.reshape(sizes))


# ---- elements -----------------------------------------------------------------------------------


@op("vector.extract")
def extract(frame: Frame, op: Op, source: Array, *dynamic: Array) -> Array:
    where = _position(frame, op, source, dynamic)
    if where is None:
        shape = source.shape[len(op.integers("static_position")) :]
        return Array(np.zeros(shape, source.data.dtype), np.ones(shape, np.bool_))
    return source.map(lambda data: np.asarray(data[where]))


@op("vector.insert")
def insert(frame: Frame, op: Op, value: Array, target: Array, *dynamic: Array) -> Array:
    where = _position(frame, op, target, dynamic)
    if where is None:
        return Array(target.data, np.ones(target.shape, np.bool_))
    return placed(target, where, value)


def _position(
    frame: Frame, op: Op, vector: Array, dynamic: Sequence[Array]
) -> tuple[int, ...] | None:
    """Where an element is; None for a poison position."""
    left = iter(dynamic)
    where = tuple(
        frame.index(next(left)) if at == DYNAMIC else at for at in op.integers("static_position")
    )
    if -1 in where:
        return None
    for at, size in zip(where, vector.shape, strict=False):
        if not 0 <= at < size:
            raise UndefinedBehavior(f"position {at} of a vector of size {size}")
    return where


# ---- arithmetic ---------------------------------------------------------------------------------


@op("vector.fma")
def fma(frame: Frame, op: Op, a: Array, b: Array, c: Array) -> Array:
    """Rounded once, but for f64, where it may be off by half a unit in the last place."""
    dtype = op.result.dtype
    wide = [one.data.astype(np.float64) for one in (a, b, c)]
    return Array((wide[0] * wide[1] + wide[2]).astype(dtype), a.mask() | b.mask() | c.mask())


@op("vector.reduction")
def reduction(frame: Frame, op: Op, source: Array, *initial: Array) -> Array:
    axes = tuple(range(source.data.ndim))
    return _reduced(frame, op, source, axes, initial[0] if initial else None)


@op("vector.multi_reduction")
def multi_reduction(frame: Frame, op: Op, source: Array, initial: Array) -> Array:
    """A reduction along no dimension is open: folds make the source of it, and lowerings combine
    that with the initial value.
    """
    axes = tuple(op.integers("reduction_dims"))
    found = _reduced(frame, op, source, axes, initial)
    if axes:
        return found
    return Array(found.data, found.mask() | (found.data != source.data))


def _reduced(
    frame: Frame, op: Op, source: Array, axes: tuple[int, ...], initial: Array | None
) -> Array:
    kept = [axis for axis in range(source.data.ndim) if axis not in axes]
    order = [*axes, *kept]
    shape = [source.shape[axis] for axis in kept]
    rows = source.transpose(order).reshape([-1, *shape])
    mask = frame.lanes
    taken = None if mask is None else np.transpose(mask, order).reshape([-1, *shape])
    return _folded(op, rows, taken, initial)


def _folded(op: Op, rows: Array, taken: Numbers | None, initial: Array | None) -> Array:
    """Combine the rows of an array one after another, and first of all an initial value."""
    element = op.operand
    combine = _combination(op, element)
    data = None if initial is None else np.asarray(initial.data)
    poison = None if initial is None else np.asarray(initial.mask())
    if data is None:  # the neutral element, for all kinds of reductions but those of floats
        if taken is not None and not taken[0].all():
            raise Unsupported([f"{op.name} of a masked vector without an initial value"])
        data, poison = rows.data[0], rows.mask()[0]
        rows = rows[1:]
        taken = None if taken is None else taken[1:]
    assert poison is not None
    for number in range(rows.shape[0]):
        here = True if taken is None else taken[number]
        data = np.where(here, combine(data, rows.data[number]), data).astype(element.dtype)
        poison = poison | (rows.mask()[number] & here)
    return Array(data, poison)


def _combination(op: Op, element: Element) -> Any:
    match = _KIND.search(op.text("kind"))
    kind = match[1] if match else "add"
    plain = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
             "minsi": np.minimum, "maxsi": np.maximum, "minimumf": minimum, "maximumf": maximum,
             "minnumf": minnum, "maxnumf": maxnum}  # fmt: skip
    if kind in plain:
        return plain[kind]
    if kind in ("minui", "maxui"):
        smaller = kind == "minui"
        return lambda a, b: np.where((unsigned(a, element) < unsigned(b, element)) == smaller, a, b)
    if kind not in ("add", "mul"):
        raise Unsupported([f"{op.name} <{kind}>"])
    compute = np.add if kind == "add" else np.multiply
    if element.is_integer:
        return lambda a, b: wrapped(compute(signed(np.asarray(a)), signed(np.asarray(b))), element)
    wide = element.wide
    return lambda a, b: compute(a.astype(wide), b.astype(wide)).astype(element.dtype)


@op("vector.outerproduct")
def outerproduct(frame: Frame, op: Op, left: Array, right: Array, *initial: Array) -> Array:
    if right.data.ndim == 0:
        products = Array(*_product(op, left, right))
    else:
        products = Array(*_product(op, left[:, None], right[None, :]))
    if not initial:
        return products
    taken = None if frame.lanes is None else frame.lanes[None]
    return _folded(op, products[None], taken, initial[0])


def _product(op: Op, left: Array, right: Array) -> tuple[Numbers, Numbers]:
    element = op.result
    poison = np.broadcast_to(left.mask() | right.mask(), np.broadcast(left.data, right.data).shape)
    if element.is_integer:
        a, b = (signed(one.data).astype(np.int64) for one in (left, right))
        return wrapped(np.asarray(a * b), element), poison
    wide = element.wide
    return (left.data.astype(wide) * right.data.astype(wide)).astype(element.dtype), poison


@op("vector.contract")
def contract(frame: Frame, op: Op, left: Array, right: Array, initial: Array) -> Array:
    maps = op.maps("indexing_maps")
    loops = ["reduction" in kind for kind in op.text("iterator_types").split(",")]
    sizes = [0] * len(loops)
    for map_, operand in zip(maps, (left, right, initial), strict=True):
        for axis, dim in enumerate(_dims(op, map_)):
            sizes[dim] = operand.shape[axis]
    check_size(sizes)
    along = [
        _along(op, one, map_, len(sizes)) for map_, one in zip(maps, (left, right), strict=False)
    ]
    data, poison = _product(op, *along)
    whole = Array(np.broadcast_to(data, sizes), np.broadcast_to(poison, sizes))
    reduced = [dim for dim, reduces in enumerate(loops) if reduces]
    order = [*reduced, *_dims(op, maps[2])]
    shape = [sizes[dim] for dim in _dims(op, maps[2])]
    rows = whole.transpose(order).reshape([-1, *shape])
    taken = frame.lanes
    if taken is not None:
        taken = np.transpose(np.broadcast_to(taken, sizes), order).reshape([-1, *shape])
    return _folded(op, rows, taken, initial)


def _dims(op: Op, map_: AffineMap) -> list[int]:
    dims = []
    for number in range(len(map_.results)):
        dim = map_.loop(number)
        if dim is None:
            raise Unsupported([f"{op.name} with such a map"])
        dims.append(dim)
    return dims


def _along(op: Op, operand: Array, map_: AffineMap, loops: int) -> Array:
    """An operand with an axis for each loop."""
    dims = _dims(op, map_)
    order = sorted(range(len(dims)), key=lambda axis: dims[axis])
    shape = [1] * loops
    for axis, dim in enumerate(dims):
        shape[dim] = operand.shape[axis]
    return operand.transpose(order).reshape(shape)


# ---- masks --------------------------------------------------------------------------------------


@op("vector.create_mask")
def create_mask(frame: Frame, op: Op, *sizes: Array) -> Array:
    return Array(_box(op.shape, [frame.index(one, "a mask") for one in sizes]))


def _box(shape: tuple[int, ...], sizes: Sequence[int]) -> Numbers:
    mask = np.zeros(shape, np.bool_)
    mask[tuple(slice(0, max(0, size)) for size in sizes)] = True
    return mask


@op("vector.mask")
def mask(frame: Frame, op: Op, lanes: Array, *passthru: Array) -> tuple[Any, ...]:
    if passthru:
        raise Unsupported(["vector.mask with a value to pass through"])
    outer, frame.lanes = frame.lanes, frame.known(lanes, "a mask")
    try:
        return tuple(frame.run(op.regions[0], ()))
    finally:
        frame.lanes = outer


@op("vector.bitcast")
def bitcast(frame: Frame, op: Op, source: Array) -> Array:
    """The same bits along the last dimension. Those of a NaN are undefined, as any op may make it.

    An element is poison if it has a bit of one that is.
    """
    old, new = op.operand, op.result
    if "c" in (old.dtype.kind, new.dtype.kind):
        raise Unsupported([f"{op.name} of {op.result_types[0].text}"])
    poison = source.mask()
    if old.is_float and (new.is_integer or old.width != new.width):
        poison = poison | np.isnan(source.data)
    bits = _regrouped(_bits(source.data, old), new.width)
    lost = _regrouped(np.repeat(np.atleast_1d(poison)[..., None], old.width, axis=-1), new.width)
    weights = np.uint64(1) << np.arange(new.width, dtype=np.uint64)
    numbers = from_bits((bits * weights).sum(axis=-1, dtype=np.uint64), new)
    return Array(numbers.reshape(op.shape), lost.any(axis=-1).reshape(op.shape))


def _bits(data: Numbers, element: Element) -> Numbers:
    """The single bits of numbers, the lowest first, in a new last dimension."""
    patterns = np.atleast_1d(to_bits(data, element)).astype(np.uint64)
    return patterns[..., None] >> np.arange(element.width, dtype=np.uint64) & np.uint64(1)


def _regrouped(bits: Numbers, width: int) -> Numbers:
    """Groups of bits along the last two dimensions, as groups of another size."""
    return bits.reshape(*bits.shape[:-2], -1, width)
