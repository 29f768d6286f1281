"""Ops of CHLO, which stand beside those of StableHLO in what JAX and PyTorch export.

Source: the documentation of the dialect (https://openxla.org/stablehlo/generated/chlo).
"""

from typing import Any

import numpy as np

from reducer.evaluator.dialects.names import CHLO_OPS
from reducer.evaluator.elements import Element, Numbers, unsigned
from reducer.evaluator.errors import Unsupported
from reducer.evaluator.interpreter import Frame
from reducer.evaluator.program import Op
from reducer.evaluator.registry import alias, op
from reducer.evaluator.values import Array

_TOP_K = "chlo.top_k"

for _name in CHLO_OPS - {_TOP_K}:
    alias(_name, f"math.{_name.partition('.')[2]}")


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
