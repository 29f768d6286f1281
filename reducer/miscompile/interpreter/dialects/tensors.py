"""Making, reading and slicing tensors.

Source: MLIR language reference, 'tensor' dialect. The elements of `tensor.empty` are poison, and so
is an element out of bounds. A slice that is out of bounds is undefined behavior.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import MlirType
from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.interpreter import Frame, can_batch, check_size
from reducer.miscompile.interpreter.program import Op, Region
from reducer.miscompile.interpreter.registry import op, rows, terminators
from reducer.miscompile.interpreter.values import Array, merged

terminators(["tensor.yield"])


def sized(frame: Frame, type_: MlirType, dynamic: Sequence[Array]) -> tuple[int, ...]:
    """The shape of a type, with its dynamic sizes."""
    left = iter(dynamic)
    shape = [frame.index(next(left), "a size") if n is None else n for n in type_.dims or ()]
    check_size(shape)
    return tuple(shape)


@op("tensor.empty", "flow.tensor.empty", "flow.tensor.alloca")
def empty(frame: Frame, op: Op, *dynamic: Array) -> Array:
    shape = sized(frame, op.result_types[0], dynamic)
    poison = np.broadcast_to(np.bool_(True), shape)
    return Array(np.broadcast_to(op.result.dtype.type(0), shape), poison)


@op("tensor.splat", "flow.tensor.splat")
def splat(frame: Frame, op: Op, value: Any, *dynamic: Array) -> Any:
    shape = sized(frame, op.result_types[0], dynamic)
    return np.broadcast_to(value, shape)


@op("tensor.from_elements")
def from_elements(frame: Frame, op: Op, *elements: Any) -> Any:
    none: Any = Array(np.zeros((), op.result.dtype))
    return np.stack([none, *elements])[1:].reshape(sized(frame, op.result_types[0], ()))


@op("tensor.dim", "flow.tensor.dim", "memref.dim", batched=True)
def dim(frame: Frame, op: Op, tensor: Array, number: Array) -> Array:
    axis = frame.index(number)
    if not 0 <= axis < tensor.data.ndim:
        raise UndefinedBehavior(f"dimension {axis} of a tensor of rank {tensor.data.ndim}")
    return Array(np.int64(tensor.shape[axis]))


rows({"tensor.rank hal.buffer_view.rank": lambda op, a: Array(np.int64(a.data.ndim))}, batched=True)


@op("tensor.cast")
def cast(frame: Frame, op: Op, tensor: Array) -> Array:
    dims = op.result_types[0].dims
    if dims is not None and not fits(tensor.shape, dims):
        raise UndefinedBehavior(
            f"a cast of shape {list(tensor.shape)} to {op.result_types[0].text}"
        )
    return tensor


def _keep_promise(op: Op, shape: Sequence[int]) -> None:
    """Check that the result has the sizes that its type says, where numbers say others.

    Raises:
        UndefinedBehavior: it has not.
    """
    if not fits(shape, op.result_types[0].dims or ()):
        raise UndefinedBehavior(f"a result of shape {list(shape)} for {op.result_types[0].text}")


def fits(shape: Sequence[int], dims: Sequence[int | None]) -> bool:
    """Whether a tensor of a shape has a type with these sizes."""
    return len(shape) == len(dims) and all(
        dim in (None, size) for dim, size in zip(dims, shape, strict=True)
    )


# ---- single elements ----------------------------------------------------------------------------


@op("tensor.extract", "flow.tensor.load", batched=True)
def extract(frame: Frame, op: Op, tensor: Array, *indices: Array) -> Array:
    """Out of bounds, the result is poison: the op may be executed speculatively."""
    if op.name == "flow.tensor.load":
        indices = indices[len(indices) - tensor.data.ndim :]
    outside: Any = merged(*indices)
    for index, size in zip(indices, tensor.shape, strict=True):
        wrong = (index.data < 0) | (index.data >= size)
        if wrong.any():
            outside = wrong if outside is None else outside | wrong
    if outside is None:
        return tensor[tuple(index.data for index in indices)]
    frame.saw_hazard(op, "an index out of bounds")
    if not tensor.data.size:
        shape = np.broadcast_shapes(*(index.shape for index in indices))
        return Array(np.zeros(shape, op.result.dtype), np.ones(shape, np.bool_))
    found = tensor[tuple(np.where(outside, 0, index.data) for index in indices)]
    return Array(found.data, found.mask() | outside)


def in_bounds(indices: Sequence[Any], shape: Sequence[int]) -> None:
    """Check indices, which may be arrays.

    Raises:
        UndefinedBehavior: one is out of bounds.
    """
    for axis, (index, size) in enumerate(zip(indices, shape, strict=True)):
        wrong = np.asarray((index < 0) | (index >= size))
        if wrong.any():
            bad = np.asarray(index)[wrong] if np.ndim(index) else np.asarray(index)
            raise UndefinedBehavior(
                f"index {int(bad.flat[0])} is out of bounds of dimension {axis}, of size {size}"
            )


@op("tensor.insert", "flow.tensor.store")
def insert(frame: Frame, op: Op, value: Array, tensor: Array, *indices: Array) -> Array:
    where = tuple(frame.index(index) for index in indices)
    in_bounds(where, tensor.shape)
    return placed(tensor, where, value)


def placed(tensor: Array, where: Any, value: Array) -> Array:
    """A tensor with some elements replaced."""
    data = tensor.data.copy()
    data[where] = value.data
    if tensor.poison is None and value.poison is None:
        return Array(data)
    poison = tensor.mask().copy()
    poison[where] = value.mask()
    return Array(data, poison)


# ---- slices -------------------------------------------------------------------------------------


def slices(
    offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int], shape: Sequence[int]
) -> tuple[slice, ...]:
    """A slice in NumPy's terms.

    Raises:
        UndefinedBehavior: it is not in the tensor.
    """
    out = []
    parts = zip(offsets, sizes, strides, shape, strict=True)
    for axis, (offset, size, stride, limit) in enumerate(parts):
        last = offset + (size - 1) * stride
        if size < 0 or (size and not (0 <= offset < limit and 0 <= last < limit)):
            raise UndefinedBehavior(
                f"a slice at {offset} of size {size} and stride {stride} is out of bounds of "
                f"dimension {axis}, of size {limit}"
            )
        if stride <= 0 and size > 1:
            raise UndefinedBehavior(f"a slice with a stride of {stride}")
        out.append(slice(offset, last + 1, max(stride, 1)) if size else slice(0, 0))
    return tuple(out)


def slice_of(
    frame: Frame, op: Op, operands: Sequence[Any], first: int, shape: Sequence[int]
) -> tuple[slice, ...]:
    """The slice that an op says with static and dynamic offsets, sizes and strides."""
    groups = [operands[group] for group in op.segments[first:]]
    names = ("static_offsets", "static_sizes", "static_strides")
    parts = [frame.sizes(op, name, group) for name, group in zip(names, groups, strict=True)]
    return slices(parts[0], parts[1], parts[2], shape)


@op("tensor.extract_slice")
def extract_slice(frame: Frame, op: Op, *operands: Array) -> Array:
    tensor = operands[0]
    part = tensor[slice_of(frame, op, operands, 1, tensor.shape)]
    return part.reshape(reduced_rank(op, part.shape))


def reduced_rank(op: Op, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of a slice without the unit sizes that a result of lower rank drops."""
    static, dims = op.integers("static_sizes"), op.result_types[0].dims or ()
    if len(shape) == len(dims):
        return tuple(shape)
    spare = len(shape) - len(dims)
    out: list[int] = []
    for size, declared in zip(shape, static, strict=True):
        wanted = dims[len(out)] if len(out) < len(dims) else -1
        matches = wanted == declared or (wanted is None and declared < 0)
        if (spare and declared == 1 and not matches) or (spare and len(out) == len(dims)):
            spare -= 1
        else:
            out.append(size)
    return tuple(out)


@op("tensor.insert_slice", "tensor.parallel_insert_slice")
def insert_slice(frame: Frame, op: Op, *operands: Array) -> Any:
    source, target = operands[:2]
    out = inserted(source, target, slice_of(frame, op, operands, 2, target.shape))
    if op.name == "tensor.insert_slice":
        return out
    frame.values[op.operands[1]] = out
    return None


def inserted(source: Array, target: Array, where: Any) -> Array:
    """A tensor with another one in a slice of as many elements.

    Raises:
        UndefinedBehavior: it has more or fewer.
    """
    shape = target.data[where].shape
    if source.data.size != int(np.prod(shape)):
        raise UndefinedBehavior(f"a slice of shape {list(shape)} gets {list(source.shape)}")
    return placed(target, where, source.reshape(shape))


@op("flow.tensor.slice")
def flow_slice(frame: Frame, op: Op, *operands: Array) -> Array:
    source, starts, lengths = operands[0], operands[op.segments[2]], operands[op.segments[3]]
    begin = [frame.index(one) for one in starts]
    size = [frame.index(one) for one in lengths]
    return source[slices(begin, size, [1] * len(begin), source.shape)]


@op("flow.tensor.update")
def flow_update(frame: Frame, op: Op, *operands: Array) -> Array:
    target, starts = operands[0], operands[op.segments[2]]
    update = operands[op.segments[3]][0] if len(op.segments) > 3 else operands[-1]
    begin = [frame.index(one) for one in starts]
    where = slices(begin, update.shape, [1] * len(begin), target.shape)
    return placed(target, where, update)


@op("tensor.concat")
def concat(frame: Frame, op: Op, *parts: Any) -> Any:
    out = np.concatenate(parts, op.integer("dim"))
    _keep_promise(op, out.shape)
    return out


# ---- computed elements --------------------------------------------------------------------------


@op("tensor.generate")
def generate(frame: Frame, op: Op, *dynamic: Array) -> Any:
    return computed(frame, op, op.regions[0], sized(frame, op.result_types[0], dynamic))


def computed(frame: Frame, op: Op, region: Region, shape: tuple[int, ...]) -> Any:
    """The tensor whose element at each index is what a region yields for it."""
    if not can_batch(op):
        return _one_by_one(frame, op, region, shape)
    grid = np.ogrid[tuple(slice(0, size) for size in shape)] if shape else []
    indices = [Array(np.asarray(axis)) for axis in grid]
    (value,) = frame.in_batch(shape, [i.data for i in indices], lambda: frame.run(region, indices))
    return np.broadcast_to(value, shape)


def _one_by_one(frame: Frame, op: Op, region: Region, shape: tuple[int, ...]) -> Array:
    data, poison = np.zeros(shape, op.result.dtype), np.zeros(shape, np.bool_)
    for point in itertools.product(*map(range, shape)):
        (value,) = frame.run(region, [Array(np.int64(n)) for n in point])
        data[point], poison[point] = value.data, value.mask()
    return Array(data, poison)


@op("tensor.pad")
def pad(frame: Frame, op: Op, *operands: Array) -> Array:
    """Sizes may be negative only if the result says so, which the verifier checks."""
    source = operands[0]
    low = frame.sizes(op, "static_low", operands[op.segments[1]])
    high = frame.sizes(op, "static_high", operands[op.segments[2]])
    shape = tuple(a + n + b for a, n, b in zip(low, source.shape, high, strict=True))
    if min((*low, *high), default=0) < 0:
        raise UndefinedBehavior("a padding of negative size")
    _keep_promise(op, shape)
    check_size(shape)
    padding = computed(frame, op, op.regions[0], shape)
    where = tuple(slice(a, a + n) for a, n in zip(low, source.shape, strict=True))
    return placed(padding, where, source)
