"""The linalg dialect.

Source: MLIR language reference, 'linalg' dialect. Named ops with a body are turned into
`linalg.generic` by the compiler's own `--linalg-generalize-named-ops` before the program is read;
those that have no such form are here.
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
def fill(frame: Frame, op: Op, value: Array, output: Array) -> Array:
    data = value.data.astype(op.operand_types[-1].number.dtype)
    return Array(data, value.poison).map(lambda a: np.broadcast_to(a, output.shape))


@op("linalg.transpose")
def transpose(frame: Frame, op: Op, source: Array, output: Array) -> Array:
    order = op.integers("permutation")
    _check_sizes([source.shape[axis] for axis in order], output.shape)
    return source.map(lambda data: np.transpose(data, order))


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
