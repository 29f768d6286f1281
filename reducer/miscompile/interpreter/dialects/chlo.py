"""Ops of CHLO, which stand beside those of StableHLO in what JAX and PyTorch export.

Source: the documentation of the dialect (https://openxla.org/stablehlo/generated/chlo).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.dialects.names import CHLO_OPS
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.noise import disturb, disturb_parts
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import (
    alias,
    elementwise,
    elementwise_rows,
    handler_of,
    op,
)
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.values.elements import Element, Numbers, unsigned

_TOP_K = "chlo.top_k"
_BROADCAST = "chlo.broadcast_"
_OWN = frozenset(
    f"chlo.{name}"
    for name in ("conj", "is_inf", "is_neg_inf", "is_pos_inf", "next_after", "square", "top_k")
)

for _name in CHLO_OPS - _OWN:
    if not _name.startswith(_BROADCAST):
        alias(_name, f"math.{_name.partition('.')[2]}")

elementwise_rows(
    {
        "chlo.is_inf": lambda op, a: np.isinf(a.astype(op.operand.wide)),
        "chlo.is_neg_inf": lambda op, a: np.isneginf(a.astype(op.operand.wide)),
        "chlo.is_pos_inf": lambda op, a: np.isposinf(a.astype(op.operand.wide)),
        "chlo.conj": lambda op, a: np.conj(a),
        "chlo.next_after": lambda op, a, b: np.nextafter(a, b),
    }
)


@elementwise("chlo.square")
def square(op: Op, a: Numbers) -> Numbers:
    element, out = op.result, np.square(a.astype(op.operand.wide))
    if element.is_integer:
        return np.asarray(a * a)
    out = out.astype(element.dtype)
    return (
        disturb(op, out, [a], np.square) if element.is_float else disturb_parts(out, [a], np.square)
    )


@op(*(name for name in CHLO_OPS if name.startswith(_BROADCAST)))
def broadcast(frame: Frame, op: Op, *operands: Array) -> Any:
    """An op on operands of different shapes: dimensions of size 1 are repeated, and so are those
    that one operand lacks, the first ones unless `broadcast_dimensions` says which it has.
    """
    name = op.name.removeprefix(_BROADCAST)
    name = f"chlo.{name}" if name == "next_after" else f"stablehlo.{name}"
    handler = handler_of(name)
    assert handler is not None
    rank = max(len(one.shape) for one in operands)
    axes = op.integers("broadcast_dimensions")
    if axes:
        operands = tuple(_placed(one, axes, rank) for one in operands)
    shape = np.broadcast_shapes(*(one.shape for one in operands))
    same = [one.map(lambda data: np.broadcast_to(data, shape)) for one in operands]
    return handler(frame, replace(op, name=name, handler=handler), *same)


def _placed(array: Array, axes: list[int], rank: int) -> Array:
    """The array with all dimensions; those that it has are at some axes."""
    if len(array.shape) == rank:
        return array
    shape = [1] * rank
    for axis, size in zip(axes, array.shape, strict=True):
        shape[axis] = size
    return array.reshape(shape)


@op(_TOP_K)
def top_k(frame: Frame, op: Op, tensor: Array) -> tuple[Array, Array]:
    """The largest numbers of each row, in order.

    Which of two equal ones comes first is open, and so is where a NaN comes.
    """
    if tensor.poison is not None:
        raise Unsupported([f"{op.name} of poison"])
    count, numbers = op.integer("k"), _comparable(tensor.data, op.operand_types[0].number)
    order = _descending(numbers)
    ranked = np.take_along_axis(numbers, order, -1)
    equal = ranked[..., 1:] == ranked[..., :-1]
    edge = np.zeros((*equal.shape[:-1], 1), np.bool_)
    tied = np.concatenate([edge, equal], -1) | np.concatenate([equal, edge], -1)
    unclear = np.isnan(numbers).any(axis=-1, keepdims=True) & np.ones_like(tied)
    values = np.take_along_axis(tensor.data, order, -1)
    where = order.astype(op.result_types[1].number.dtype)
    return (
        Array(values[..., :count], unclear[..., :count]),
        Array(where[..., :count], (unclear | tied)[..., :count]),
    )


def _comparable(data: Numbers, element: Element) -> Numbers:
    if element.is_integer:
        return unsigned(data, element) if element.unsigned else data
    return np.asarray(data).astype(element.wide)


def _descending(numbers: Numbers) -> Any:
    """The order of each row from its largest number on."""
    return np.flip(np.argsort(numbers, axis=-1, kind="stable"), -1)
