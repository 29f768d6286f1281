"""The edge between a program and IREE's runtime: buffer views are the tensors that they hold.

Source: IREE's documentation, 'hal' dialect. Fences and devices carry no data: everything has
happened before the next op runs.
"""

from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import parse_type
from reducer.miscompile.interpreter.errors import RunFailure
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, Token, View


@op("hal.tensor.import")
def import_(frame: Frame, op: Op, source: Any, *rest: Any) -> Any:
    """The view must have the type that the program expects."""
    type_ = op.result_types[0]
    if not isinstance(source, Array):
        return source
    dims = type_.dims or ()
    fits = len(dims) == source.data.ndim and all(
        dim in (None, size) for dim, size in zip(dims, source.shape, strict=True)
    )
    if not fits or source.data.dtype != type_.number.dtype:
        shape = "x".join(map(str, source.shape))
        raise RunFailure(f"an input of {shape}x{source.data.dtype} is passed for {type_.text}")
    return source


@op("hal.tensor.export")
def export(frame: Frame, op: Op, source: Array, *rest: Any) -> View:
    text = op.text("source_encoding")
    return View(source, parse_type(text) if text else op.operand_types[0])


@op("hal.tensor.transients")
def transients(frame: Frame, op: Op, source: Any, *rest: Any) -> Any:
    return source


@op("hal.tensor.alias")
def alias(frame: Frame, op: Op, source: Any, *rest: Any) -> Any:
    return source


@op("hal.tensor.barrier")
def barrier(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    return operands[: len(op.results)]


@op("hal.devices.get", "hal.fence.create", "hal.fence.join", "hal.device.resolve")
def token(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    return tuple(Token() for _ in op.results)


@op("hal.fence.signal", "hal.fence.fail")
def signal(frame: Frame, op: Op, *operands: Any) -> None:
    """Nothing waits."""


@op("hal.fence.await")
def await_(frame: Frame, op: Op, *operands: Any) -> Array:
    return Array(np.int32(0))


@op("hal.buffer_view.dim")
def dim(frame: Frame, op: Op, view: Array) -> Array:
    return Array(np.int64(view.shape[op.integer("index")]))


@op("hal.buffer_view.rank")
def rank(frame: Frame, op: Op, view: Array) -> Array:
    return Array(np.int64(view.data.ndim))
