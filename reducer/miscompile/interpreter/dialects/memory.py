"""The memref dialect, the loops of the affine dialect, and what goes between tensors and memory.

Source: MLIR language reference, 'memref', 'affine' and 'bufferization' dialects. Fresh memory is
poison. An access out of bounds, or after memory is freed, is undefined behavior. A view shares the
memory of what it is a view of.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.affine import evaluate, parse_affine_map, parse_affine_set
from reducer.miscompile.interpreter.attributes import DYNAMIC, parse_type
from reducer.miscompile.interpreter.dialects.arith_casts import read_attribute
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame, check_size, steps
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op, terminators
from reducer.miscompile.interpreter.values import Array, Buffer

terminators(["affine.yield"])


def memory(value: Any) -> Buffer:
    """Memory that the program itself has made.

    Raises:
        Unsupported: it comes from outside.
        UndefinedBehavior: it was freed.
    """
    if not isinstance(value, Buffer):
        raise Unsupported(["memory that the program was given"])
    if value.is_freed:
        raise UndefinedBehavior("memory is used after it is freed")
    return value


@op("memref.alloc", "memref.alloca")
def alloc(frame: Frame, op: Op, *dynamic: Array) -> Buffer:
    type_ = op.result_types[0]
    if type_.dims is None or "affine_map" in type_.text:
        raise Unsupported([f"memory of type {type_.text}"])
    sizes = iter(dynamic)
    shape = [frame.index(next(sizes), "a size") if n is None else n for n in type_.dims]
    if any(size < 0 for size in shape):
        raise UndefinedBehavior("memory of a negative size")
    check_size(shape)
    return Buffer(np.zeros(shape, op.result.dtype), np.ones(shape, np.bool_))


@op("memref.dealloc")
def dealloc(frame: Frame, op: Op, buffer: Any) -> None:
    memory(buffer).owner.is_freed = True


@op("memref.get_global")
def get_global(frame: Frame, op: Op) -> Buffer:
    """Each global is made when it is first asked for."""
    name = op.symbol("name")
    made = frame.interpreter.globals.get(name)
    if made is None:
        declared = frame.program.symbols[name]
        type_ = parse_type(declared.program.resolved(declared.text("type")))
        if type_.dims is None or None in type_.dims:
            raise Unsupported([f"memory of type {type_.text}"])
        shape = tuple(size for size in type_.dims if size is not None)
        if declared.text("initial_value") in ("", "unit"):
            made = Buffer(np.zeros(shape, type_.number.dtype), np.ones(shape, np.bool_))
        else:
            tensor = f"tensor<{''.join(f'{n}x' for n in shape)}{type_.number.text}>"
            data = read_attribute(declared, declared.text("initial_value"), tensor)
            made = Buffer(np.array(np.broadcast_to(data, shape)), np.zeros(shape, np.bool_))
        frame.interpreter.globals[name] = made
    return made


# ---- elements -----------------------------------------------------------------------------------


@op("memref.load")
def load(frame: Frame, op: Op, buffer: Any, *indices: Array) -> Array:
    return memory(buffer).read(_place(buffer, [frame.index(one) for one in indices]))


@op("memref.store")
def store(frame: Frame, op: Op, value: Array, buffer: Any, *indices: Array) -> None:
    memory(buffer).write(_place(buffer, [frame.index(one) for one in indices]), value)


@op("affine.load")
def affine_load(frame: Frame, op: Op, buffer: Any, *operands: Array) -> Array:
    return memory(buffer).read(_place(buffer, _mapped(frame, op, "map", operands)))


@op("affine.store")
def affine_store(frame: Frame, op: Op, value: Array, buffer: Any, *operands: Array) -> None:
    memory(buffer).write(_place(buffer, _mapped(frame, op, "map", operands)), value)


def _mapped(frame: Frame, op: Op, name: str, operands: Sequence[Array]) -> list[int]:
    """The results of a map for some operands."""
    return [
        int(one)
        for one in evaluate(parse_affine_map(op.text(name)), [frame.index(a) for a in operands])
    ]


def _place(buffer: Buffer, indices: list[int]) -> tuple[int, ...]:
    for axis, (index, size) in enumerate(zip(indices, buffer.shape, strict=True)):
        if not 0 <= index < size:
            raise UndefinedBehavior(
                f"index {index} is out of bounds of dimension {axis}, of size {size}"
            )
    return tuple(indices)


# ---- views and copies ---------------------------------------------------------------------------


@op("memref.cast", "memref.memory_space_cast", "memref.assume_alignment")
def cast(frame: Frame, op: Op, buffer: Any) -> Buffer:
    dims = op.result_types[0].dims or ()
    view = memory(buffer)
    for size, wanted in zip(view.shape, dims, strict=False):
        if wanted is not None and wanted != size:
            raise UndefinedBehavior(f"a cast of size {size} to {wanted}")
    return view


@op("memref.copy")
def copy(frame: Frame, op: Op, source: Any, target: Any) -> None:
    ours, theirs = memory(source), memory(target)
    if ours.shape != theirs.shape:
        raise UndefinedBehavior("a copy between memory of different sizes")
    if ours.overlaps(theirs):
        raise UndefinedBehavior("a copy between parts of memory that overlap")
    theirs.fill(ours.array())


@op("memref.subview")
def subview(frame: Frame, op: Op, buffer: Any, *dynamic: Array) -> Buffer:
    view = memory(buffer)
    offsets, sizes, strides = _slices(frame, op, dynamic)
    slices = []
    for offset, size, stride, whole in zip(offsets, sizes, strides, view.shape, strict=True):
        last = offset + (size - 1) * stride
        if size < 0 or stride < 1 or offset < 0 or (size and last >= whole):
            raise UndefinedBehavior("a view that is out of bounds")
        slices.append(slice(offset, last + 1 if size else offset, stride))
    part = view.part(tuple(slices))
    dims = op.result_types[0].dims or ()
    return part if len(dims) == len(sizes) else part.squeezed(dims)


def _slices(
    frame: Frame, op: Op, dynamic: Sequence[Array]
) -> tuple[list[int], list[int], list[int]]:
    left = iter(dynamic)
    names = ("static_offsets", "static_sizes", "static_strides")
    lists = [
        [frame.index(next(left)) if n == DYNAMIC else n for n in op.integers(name)]
        for name in names
    ]
    return lists[0], lists[1], lists[2]


@op("memref.collapse_shape", "memref.expand_shape")
def reshape(frame: Frame, op: Op, buffer: Any, *dynamic: Array) -> Buffer:
    dims = op.result_types[0].dims
    if dims is None or sum(size is None for size in dims) > 1:
        raise Unsupported([f"{op.name} with several dynamic sizes"])
    return memory(buffer).reshaped([-1 if size is None else size for size in dims])


@op("bufferization.to_tensor")
def to_tensor(frame: Frame, op: Op, buffer: Any) -> Array:
    return memory(buffer).array()


@op("bufferization.to_buffer", "bufferization.to_memref")
def to_buffer(frame: Frame, op: Op, tensor: Array) -> Buffer:
    return Buffer(np.array(tensor.data), np.array(tensor.mask()))


@op("bufferization.materialize_in_destination")
def materialize(frame: Frame, op: Op, source: Array, target: Any) -> Any:
    if isinstance(target, Buffer):
        memory(target).fill(source)
        return None
    return source


# ---- loops --------------------------------------------------------------------------------------


@op("affine.if")
def if_(frame: Frame, op: Op, *operands: Array) -> tuple[Any, ...]:
    inputs = [frame.index(one) for one in operands]
    holds = parse_affine_set(op.text("condition")).contains(inputs)
    region = op.regions[0 if holds else 1]
    return tuple(frame.run(region, ())) if region.blocks else ()


@op("affine.for")
def for_(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    """Up to LLVM 17 the attributes have other names, and the maps say which operands are theirs."""
    low, high = "lowerBoundMap", "upperBoundMap"
    if op.segments:
        lower, upper, carried = (operands[group] for group in op.segments)
    else:
        low, high = "lower_bound", "upper_bound"
        first, second = (parse_affine_map(op.text(name)) for name in (low, high))
        middle = first.dims + len(first.symbol_names)
        end = middle + second.dims + len(second.symbol_names)
        lower, upper, carried = operands[:middle], operands[middle:end], operands[end:]
    start = max(_mapped(frame, op, low, lower))
    stop = min(_mapped(frame, op, high, upper))
    values: Sequence[Any] = carried
    for index in steps(range(start, stop, op.integer("step", 1))):
        values = frame.run(op.regions[0], (Array(np.int64(index)), *values))
    return tuple(values)
