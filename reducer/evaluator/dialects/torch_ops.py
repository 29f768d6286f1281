"""PyTorch's ops in the torch dialect, by eager PyTorch itself.

Needs the package `torch`, an optional extra. Source: each `torch.aten.NAME.OVERLOAD` is the op of
this name in PyTorch's native functions (`torch.ops.aten`).
"""

from typing import Any

import ml_dtypes
import numpy as np

from reducer.evaluator.attributes import string
from reducer.evaluator.constants import constant as constant_of
from reducer.evaluator.dialects.names import ATEN
from reducer.evaluator.elements import Element, unsigned, wrapped
from reducer.evaluator.errors import Unsupported
from reducer.evaluator.interpreter import Frame
from reducer.evaluator.program import Op
from reducer.evaluator.registry import op
from reducer.evaluator.types import ValueType
from reducer.evaluator.values import Array, Token


@op("torch.constant.none")
def none(frame: Frame, op: Op) -> Token:
    return Token()


@op("torch.constant.int", "torch.constant.float", "torch.constant.bool")
def number(frame: Frame, op: Op) -> Any:
    return constant_of(op.text("value"), op.program).item()


@op("torch.constant.str", "torch.constant.device")
def text(frame: Frame, op: Op) -> str:
    return string(op.text("value"))


@op("torch.vtensor.literal")
def literal(frame: Frame, op: Op) -> Array:
    return Array(constant_of(op.text("value"), op.program))


@op("torch.prim.ListConstruct")
def make_list(frame: Frame, op: Op, *items: Any) -> tuple[Any]:
    return (list(items),)


@op("torch.prim.ListUnpack")
def unpack_list(frame: Frame, op: Op, items: list[Any]) -> tuple[Any, ...]:
    return tuple(items)


@op(ATEN)
def aten(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    """Raises Unsupported for an op that PyTorch does not have, or refuses."""
    import torch

    name = op.name.removeprefix("torch.")
    given = [_outside(one, kind) for one, kind in zip(operands, op.operand_types, strict=True)]
    try:
        function = _function(torch.ops.aten, op.name.removeprefix(ATEN))
        found = function(*given[: _positional(function)], **_by_name(function, given))
    except Exception as error:
        raise Unsupported([f"{name} ({str(error).splitlines()[0][:100]})"]) from error
    results = found if isinstance(found, tuple) else (found,)
    is_any = torch.Tag.nondeterministic_seeded in function.tags or ".empty" in op.name
    return tuple(
        _inside(one, kind, is_any) for one, kind in zip(results, op.result_types, strict=True)
    )


def _function(ops: Any, name: str) -> Any:
    base, _, overload = name.partition(".")
    return getattr(getattr(ops, base), overload or "default")


def _positional(function: Any) -> int:
    """The number of parameters before those that are given by name only."""
    return sum(not one.kwarg_only for one in function._schema.arguments)


def _by_name(function: Any, given: list[Any]) -> dict[str, Any]:
    """The other operands; the torch dialect has all of them in order."""
    parameters = function._schema.arguments
    if len(parameters) != len(given):
        raise ValueError(f"{len(given)} operands for {len(parameters)} parameters")
    pairs = zip(parameters, given, strict=True)
    return {one.name: value for one, value in pairs if one.kwarg_only}


def _outside(value: Any, kind: ValueType) -> Any:
    """A value as PyTorch takes it."""
    import torch

    if isinstance(value, Token):
        return None
    if isinstance(value, list):
        return [_outside(one, kind) for one in value]
    if not isinstance(value, Array):
        return value
    if value.poison is not None:
        raise Unsupported(["ops of PyTorch on poison"])
    data, element = value.data, kind.element
    if data.dtype == np.dtype(ml_dtypes.bfloat16):
        return torch.from_numpy(np.array(data).view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(
        np.array(unsigned(data, element) if element and element.unsigned else data)
    )


def _inside(value: Any, kind: ValueType, is_any: bool) -> Any:
    """A value as the evaluator keeps it; `is_any` is whether any other is as good."""
    import torch

    if not isinstance(value, torch.Tensor):
        return Token() if value is None else value
    value = value.detach().cpu().contiguous()
    if value.dtype is torch.bfloat16:
        data = value.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    else:
        data = value.numpy()
    return _array(data, kind.number, is_any)


def _array(data: Any, element: Element, is_any: bool) -> Array:
    if element.is_integer:
        data = wrapped(data.astype(np.int64), element)
    poison = np.ones(data.shape, np.bool_) if is_any else None
    return Array(data.astype(element.dtype), poison)
