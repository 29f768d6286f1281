"""IREE's util and hal dialects, as far as programs use them before they are cut into dispatches.

Source: IREE's documentation. Buffer views are the tensors that they hold. Fences and devices carry
no data: everything has happened before the next op runs.
"""

import re
from typing import Any

import numpy as np

from reducer.ir.lexer import split_commas
from reducer.miscompile.interpreter.attributes import parse_type
from reducer.miscompile.interpreter.dialects.arith_casts import read_attribute
from reducer.miscompile.interpreter.errors import ProgramError, UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op, rows, terminators
from reducer.miscompile.interpreter.values import Array, OpaqueValue, View

terminators(["util.return", "util.unreachable", "flow.return"])


@op(
    "builtin.module", "func.func", "util.func", "memref.global", "util.global", "util.initializer",
    "ml_program.global",
)  # fmt: skip
def declaration(frame: Frame, op: Op, *operands: Any) -> None:
    """Nothing happens where a symbol is declared."""


@op("util.global.load", "ml_program.global_load", "ml_program.global_load_const")
def load(frame: Frame, op: Op) -> Any:
    name = op.symbol("global")
    stored = frame.interpreter.globals
    if name not in stored:
        stored[name] = _initial(op.program.symbols[name], op)
    return stored[name]


def _initial(declared: Op, op: Op) -> Any:
    attribute = "initial_value" if declared.has("initial_value") else "value"
    text = declared.text(attribute)
    if not text:
        raise UndefinedBehavior(f"the global @{op.symbol('global')} is read before it is set")
    kind = op.result_types[0].text
    if parse_type(kind).element is None:
        raise Unsupported([f"global of type {kind}"])
    return Array(read_attribute(declared, text, kind))


@op("util.global.store", "ml_program.global_store")
def store(frame: Frame, op: Op, value: Any) -> None:
    frame.interpreter.globals[op.symbol("global")] = value


@op(
    "util.optimization_barrier", "util.cast", "flow.tensor.barrier",
    "builtin.unrealized_conversion_cast", "flow.tensor.transfer",
    "iree_tensor_ext.compute_barrier.start", "iree_tensor_ext.compute_barrier.end",
    "hal.tensor.barrier", "hal.tensor.transients", "hal.tensor.alias", "flow.tensor.clone",
    "iree_tensor_ext.dispatch.workload.ordinal", "flow.dispatch.workload.ordinal", batched=True,
)  # fmt: skip
def identity(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    return operands[: len(op.results)]


_ASSUMPTION = re.compile(r"#util\.int\.assumption<([^>]*)>")
_BOUND = re.compile(r"(umin|umax|udiv) = (\d+)")


@op("util.assume.int", batched=True)
def assume(frame: Frame, op: Op, *operands: Array) -> tuple[Array, ...]:
    """A promise about integers; there are alternatives for each operand, one of which must hold."""
    groups = split_commas(op.text("assumptions").strip()[1:-1])
    for operand, group in zip(operands, groups, strict=True):
        found = _ASSUMPTION.findall(group)
        data = frame.known(operand, "a promise")
        if found and not any(np.all(_holds(one, data)) for one in found):
            raise UndefinedBehavior(f"a promise about an integer does not hold: {found[0]}")
    return operands


def _holds(assumption: str, data: Any) -> Any:
    out = np.ones(np.shape(data), np.bool_)
    for name, text in _BOUND.findall(assumption):
        bound = int(text)
        out &= {"umin": data >= bound, "umax": data <= bound, "udiv": data % max(bound, 1) == 0}[
            name
        ]
    return out


@op("util.align", batched=True)
def align(frame: Frame, op: Op, value: Array, alignment: Array) -> Array:
    to = frame.index(alignment)
    return Array((value.data + (to - 1)) // to * to, value.poison)


@op("util.status.check_ok")
def check_ok(frame: Frame, op: Op, status: Array) -> None:
    if frame.index(status):
        raise ProgramError("a status that is not OK")


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
        raise ProgramError(f"an input of {shape}x{source.data.dtype} is passed for {type_.text}")
    return source


@op("hal.tensor.export")
def export(frame: Frame, op: Op, source: Array, *rest: Any) -> View:
    text = op.text("source_encoding")
    return View(source, parse_type(text) if text else op.operand_types[0])


def _tokens(op: Op, *operands: Any) -> tuple[Any, ...]:
    return tuple(OpaqueValue() for _ in op.results)


rows(
    {
        "hal.devices.get hal.fence.create hal.fence.join hal.device.resolve util.null": _tokens,
        "hal.fence.signal hal.fence.fail": lambda op, *operands: None,  # nothing waits
        "hal.fence.await": lambda op, *operands: Array(np.int32(0)),
        "hal.buffer_view.dim": lambda op, view: Array(np.int64(view.shape[op.integer("index")])),
    }
)
