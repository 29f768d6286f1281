"""The linalg dialect, and packing into tiles.

Source: MLIR language reference, 'linalg' dialect. Named ops with a body are turned into
`linalg.generic` by the compiler's own `--linalg-generalize-named-ops` before the program is read;
those that have no such form are here. In older releases, `linalg.pack` and `linalg.unpack` are ops
of the tensor dialect.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.ir.lexer import split_commas
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.noise import APPROXIMATION, is_disturbing, moved
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op, terminators
from reducer.miscompile.interpreter.structured import run_structured
from reducer.miscompile.interpreter.values import Array

terminators(["linalg.yield"])


@op("linalg.generic")
def generic(frame: Frame, op: Op, *operands: Array) -> tuple[Array, ...]:
    inputs, outputs = (operands[group] for group in op.segments)
    parallel = ["parallel" in kind for kind in split_commas(op.text("iterator_types")[1:-1])]
    maps = op.maps("indexing_maps")
    return tuple(run_structured(frame, op, inputs, outputs, maps, parallel))


@op("linalg.index", batched=True)
def index(frame: Frame, op: Op) -> Array:
    return Array(frame.indices[op.integer("dim")])


@op("linalg.fill")
def fill(frame: Frame, op: Op, value: Array, output: Array) -> Any:
    data = value.data.astype(op.operand_types[-1].number.dtype)
    filled: Any = Array(data, value.poison)
    return np.broadcast_to(filled, output.shape)


@op("linalg.transpose")
def transpose(frame: Frame, op: Op, source: Array, output: Array) -> Array:
    order = op.integers("permutation")
    _check_sizes([source.shape[axis] for axis in order], output.shape)
    return source.transpose(order)


@op("linalg.broadcast")
def broadcast(frame: Frame, op: Op, source: Array, output: Array) -> Array:
    axes = tuple(op.integers("dimensions"))
    kept = [size for axis, size in enumerate(output.shape) if axis not in axes]
    _check_sizes(source.shape, kept)
    return source.map(lambda data: np.broadcast_to(np.expand_dims(data, axes), output.shape))


@op("linalg.softmax")
def softmax(frame: Frame, op: Op, source: Array, output: Array) -> Array:
    _check_sizes(source.shape, output.shape)
    axis = op.integer("dimension")
    element = op.operand_types[-1].number
    if not element.is_float:
        raise Unsupported([f"{op.name} of {element.text}"])
    wide = source.data.astype(element.wide)
    powers = np.exp(wide - wide.max(axis=axis, keepdims=True, initial=-np.inf))
    out = (powers / powers.sum(axis=axis, keepdims=True)).astype(element.dtype)
    if is_disturbing(element):
        scale = 1 if element.is_small_float else APPROXIMATION
        out = moved(out, (out != 0) & (out != 1), element, scale)
    poison: Any = None
    if source.poison is not None:
        poison = np.broadcast_to(source.poison.any(axis=axis, keepdims=True), source.shape)
    return Array(out, poison)


def _check_sizes(source: Sequence[int], output: Sequence[int]) -> None:
    """Sizes that the verifier does not compare, since one of the operand's dimensions is dynamic.

    Raises:
        UndefinedBehavior: the loops run over one of the operands only.
    """
    for one, other in zip(source, output, strict=True):
        if one != other:
            raise UndefinedBehavior(f"operands of different sizes, {one} and {other}")


def _tiles(frame: Frame, op: Op, operands: tuple[Array, ...], first: int) -> list[int]:
    return frame.sizes(op, "static_inner_tiles", operands[op.segments[first]])


@op("linalg.pack", "tensor.pack", "iree_linalg_ext.pack")
def pack(frame: Frame, op: Op, *operands: Array) -> Array:
    """Each tiled dimension is split into tiles; the tiles' insides come last."""
    source, output = operands[0], operands[1]
    padding = operands[op.segments[2]]
    tiles = _tiles(frame, op, operands, 3)
    dims = op.integers("inner_dims_pos")
    outer = op.integers("outer_dims_perm") or list(range(source.data.ndim))
    extra = [0] * source.data.ndim
    for dim, tile in zip(dims, tiles, strict=True):
        if tile <= 0:
            raise UndefinedBehavior(f"a tile of size {tile}")
        extra[dim] = -source.shape[dim] % tile
    if any(extra) and not padding:
        raise UndefinedBehavior("tiles that are not full, without a padding value")
    fill: Any = padding[0].data if padding else 0
    bad = bool(padding and padding[0].poison is not None)

    def packed(data: Any, value: Any) -> Any:
        whole = np.pad(data, [(0, n) for n in extra], constant_values=value)
        shape: list[int] = []
        place: dict[int, int] = {}
        for dim, size in enumerate(whole.shape):
            place[dim] = len(shape)
            tile = tiles[dims.index(dim)] if dim in dims else None
            shape += [size] if tile is None else [size // tile, tile]
        split = whole.reshape(shape)
        order = [place[dim] for dim in outer] + [place[dim] + 1 for dim in dims]
        return np.transpose(split, order)

    poison = packed(source.mask(), bad) if bad or source.poison is not None else None
    return _checked(Array(packed(source.data, fill).astype(op.result.dtype), poison), output)


@op("linalg.unpack", "tensor.unpack", "iree_linalg_ext.unpack")
def unpack(frame: Frame, op: Op, *operands: Array) -> Array:
    source, output = operands[0], operands[1]
    dims = op.integers("inner_dims_pos")
    rank = output.data.ndim
    outer = op.integers("outer_dims_perm") or list(range(rank))

    def unpacked(data: Any) -> Any:
        inner = {dim: rank + n for n, dim in enumerate(dims)}
        order: list[int] = []
        for dim in range(rank):
            order.append(outer.index(dim))
            order += [inner[dim]] if dim in inner else []
        moved = np.transpose(data, order)
        shape, at = [], 0
        for dim in range(rank):
            size = moved.shape[at]
            at += 1
            if dim in inner:
                size *= moved.shape[at]
                at += 1
            shape.append(size)
        whole = moved.reshape(shape)
        return whole[tuple(slice(0, size) for size in output.shape)]

    return _checked(source.map(unpacked), output)


def _checked(result: Array, output: Array) -> Array:
    if result.shape != output.shape:
        raise UndefinedBehavior(
            f"a result of shape {list(result.shape)} for an output of {list(output.shape)}"
        )
    return result
