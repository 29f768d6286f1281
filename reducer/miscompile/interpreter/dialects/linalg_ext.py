"""Ops of iree_linalg_ext that work on whole tensors: quantization, attention, FFT.

Source: IREE's documentation, 'iree_linalg_ext' dialect.
"""

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from reducer.ir.affine import AffineMap
from reducer.miscompile.interpreter.dialects.scans import apply_body
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.loops import loop_sizes, view
from reducer.miscompile.interpreter.noise import disturb, moved_by
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, has_poison, merged
from reducer.miscompile.values.elements import Element, Numbers, signed, unsigned, wrapped

_finfo: Any = ml_dtypes.finfo
_QUANTIZATION = frozenset(
    (
        *("indexing_maps", "quant_min", "quant_max", "operandSegmentSizes"),
        *("input_unsigned", "storage_unsigned", "zp_unsigned"),
    )
)
"""The attributes of quantization; `dequantize_affine` has had two names for the same one."""


@op("iree_linalg_ext.quantize_affine")
def quantize_affine(
    frame: Frame, op: Op, values: Array, scale: Array, zero: Array, output: Array
) -> Array:
    """`clamp(round_half_even(x / scale) + zero)`."""
    _refuse_others(op)
    x, s, z = _aligned(op, (values, scale, zero, output))
    wide = np.float32 if op.operand.width <= 32 else np.float64
    quotient = np.rint(x.data.astype(wide) / s.data.astype(wide)) + _zero(op, z).astype(wide)
    least, most = op.integer("quant_min"), op.integer("quant_max")
    poison = merged(x, s, z)
    odd = np.isnan(quotient)
    if odd.any():
        poison = odd if poison is None else poison | odd
    clamped = np.clip(np.where(odd, 0, quotient), least, most)
    return Array(wrapped(clamped.astype(np.int64), op.result), poison)


@op("iree_linalg_ext.dequantize_affine")
def dequantize_affine(
    frame: Frame, op: Op, values: Array, scale: Array, zero: Array, output: Array
) -> Array:
    """`(x - zero) * scale`."""
    _refuse_others(op)
    x, s, z = _aligned(op, (values, scale, zero, output))
    is_unsigned = op.has("input_unsigned") or op.has("storage_unsigned")
    stored = unsigned(x.data, op.operand) if is_unsigned else signed(x.data)
    whole = stored.astype(np.int64) - _zero(op, z).astype(np.int64)
    factors = [whole.astype(op.result.wide), s.data.astype(op.result.wide)]
    out = np.asarray(np.multiply(*factors)).astype(op.result.dtype)
    return Array(disturb(op, out, factors, np.multiply), merged(x, s, z))


def _refuse_others(op: Op) -> None:
    """Refuse to guess what an attribute of another release means for the signs of numbers.

    Raises:
        Unsupported: the op has an attribute that is not known here.
    """
    others = {name for name in op.attribute_names if "." not in name} - _QUANTIZATION
    if others:
        raise Unsupported([f"{op.name} with {', '.join(sorted(others))}"])


def _zero(op: Op, zero: Array) -> Any:
    is_unsigned = op.has("zp_unsigned")
    return unsigned(zero.data, op.operand_types[2].number) if is_unsigned else signed(zero.data)


def _aligned(op: Op, operands: Sequence[Array]) -> list[Array]:
    """The operands but the output along the loops, which must be those of the output."""
    maps = op.maps("indexing_maps")
    last = maps[-1]
    if [_dim(last, n) for n in range(len(last.results))] != list(range(last.dims)):
        raise Unsupported([f"{op.name} with a permuted output"])
    sizes = loop_sizes(maps, operands)
    found = [view(one, map_, sizes) for one, map_ in zip(operands, maps, strict=True)]
    return found[:-1]


def _dim(map_: AffineMap, axis: int) -> int:
    """The loop along an axis of an operand; -1 if it is not a plain loop."""
    dim = map_.loop(axis)
    return -1 if dim is None else dim


# ---- attention --------------------------------------------------------------------------------


@op("iree_linalg_ext.attention")
def attention(frame: Frame, op: Op, *operands: Array) -> Array:
    """`softmax(body(query · key * scale + mask)) · value`, over the loops of the indexing maps."""
    maps = op.maps("indexing_maps")
    query, key, value, scale = operands[:4]
    mask = operands[4] if len(operands) == len(maps) and len(maps) > 5 else None
    output = operands[len(maps) - 1]
    loops = [[_dim(map_, n) for n in range(len(map_.results))] for map_ in maps]
    if any(-1 in dims for dims in loops):
        raise Unsupported([f"{op.name} with such indexing maps"])
    q, k, v, o = loops[0], loops[1], loops[2], loops[-1]
    scored = [d for d in dict.fromkeys([*q, *k]) if d in o or d in v]
    wide = np.float64 if op.operand.width == 64 else np.float32
    scores = np.einsum(query.data.astype(wide), q, key.data.astype(wide), k, scored)
    scores = np.asarray(scores * scale.data.astype(wide))
    if mask is not None:
        scores = scores + _mask(mask, loops[4], scored, op.operand_types[4].number.width)
    if op.regions and op.regions[0].blocks:
        body_type = op.program.module.block_arg_types(op.regions[0].block.number)[:1]
        kind = {"f16": np.float16, "f64": np.float64}.get("".join(body_type), np.float32)
        (scored_by_body,) = apply_body(frame, op, Array(scores.astype(kind)))
        scores = np.broadcast_to(scored_by_body.data.astype(wide), scores.shape)
    reduced = tuple(n for n, d in enumerate(scored) if d not in o)
    top = scores.max(axis=reduced, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isfinite(top), top, 0))
    weights = powers / powers.sum(axis=reduced, keepdims=True)
    out = np.einsum(weights, scored, value.data.astype(wide), v, o)
    out = moved_by(out, _rounding(scores, op.result) * np.einsum(
        weights, scored, np.abs(value.data.astype(wide)), v, o
    ))  # fmt: skip
    if has_poison(operands[: len(maps) - 1]):
        raise Unsupported([f"{op.name} of poison"])
    return Array(np.asarray(out).reshape(output.shape).astype(op.result.dtype))


def _rounding(scores: Numbers, element: Element) -> float:
    """How far a weight may be off, relative to it: an exponential is as far as its argument is."""
    finite = np.abs(scores[np.isfinite(scores)])
    return (1 + float(finite.max(initial=0))) * float(_finfo(element.dtype).eps)


def _mask(mask: Array, dims: list[int], scored: list[int], width: int) -> Any:
    data = np.where(mask.data, 0.0, -np.inf) if width == 1 else mask.data.astype(np.float64)
    order = sorted(range(len(dims)), key=lambda n: scored.index(dims[n]))
    shape = [data.shape[dims.index(d)] if d in dims else 1 for d in scored]
    return np.transpose(data, order).reshape(shape)


# ---- FFT --------------------------------------------------------------------------------------


@op("iree_linalg_ext.fft")
def fft(frame: Frame, op: Op, stage: Array, *rest: Array) -> tuple[Array, Array]:
    """One stage of the algorithm of Cooley and Tukey, along the last dimension."""
    count = 1 << frame.index(stage)
    half = count // 2
    real, imaginary = rest[-2:]
    if len(rest) == 4:
        roots = rest[0].data[:half] + 1j * rest[1].data[:half]
    else:
        roots = np.exp(-2j * np.pi * np.arange(half) / count)
    data = (real.data + 1j * imaginary.data).reshape((*real.shape[:-1], -1, count))
    left, right = data[..., :half], data[..., half:] * roots
    out = np.concatenate([left + right, left - right], -1).reshape(real.shape)
    size = np.tile(np.abs(left) + np.abs(right), 2).reshape(real.shape)
    out = moved_by(out, size * float(_finfo(op.result.dtype).eps))
    poison = None
    if real.poison is not None or imaginary.poison is not None:
        bad = real.mask() | imaginary.mask()
        poison = np.broadcast_to(bad.any(axis=-1, keepdims=True), real.shape)
    kind = op.result.dtype
    return Array(out.real.astype(kind), poison), Array(out.imag.astype(kind), poison)
