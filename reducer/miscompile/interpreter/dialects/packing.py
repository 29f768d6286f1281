"""Packing into tiles.

Source: MLIR language reference, `linalg.pack` and `linalg.unpack` (`tensor.pack` and
`tensor.unpack` in older releases).
"""

from typing import Any

import numpy as np

from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array


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
