"""Programs that are cut into dispatches, but not yet tiled: IREE's flow and iree_tensor_ext.

Source: IREE's documentation, 'flow' and 'iree_tensor_ext' dialects. A dispatch is evaluated once,
as if by one workgroup, which is what it means before it is distributed.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.dialects.tensors import inserted, reduced_rank, sized, slice_of
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op, Region
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, Slot


@op(
    "flow.executable", "flow.executable.export", "flow.executable_end",
    "iree_tensor_ext.dispatch.workgroup_count_from_slice",
    "iree_tensor_ext.dispatch.workgroup_count_from_dag_root",
    "flow.dispatch.workgroup_count_from_slice", "flow.dispatch.workgroup_count_from_dag_root",
)  # fmt: skip
def declaration(frame: Frame, op: Op, *operands: Any) -> None:
    """How many workgroups there are does not matter."""


@op("flow.dispatch.region")
def region(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    return tuple(frame.run(op.regions[0], ()))


@op("flow.dispatch.workgroups")
def workgroups(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    return _dispatched(frame, op, operands, op.regions[0], frame)


@op("flow.dispatch")
def dispatch(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    names = op.symbol_path("entry_points")
    executable = op.program.symbols.get(names[0])
    if executable is None or len(names) != 2:
        raise Unsupported([f"dispatch of {names}"])
    export = op.program.nested(executable, names[1], "flow.executable.export")
    function = op.program.nested(executable, export.symbol("function_ref"), "func.func")
    return _dispatched(frame, op, operands, function.regions[0], Frame(frame.interpreter))


def _dispatched(
    frame: Frame, op: Op, operands: Sequence[Any], body: Region, inner: Frame
) -> tuple[Any, ...]:
    """Tensors are passed in slots; a result is written to the slot of its operand, or a new one."""
    arguments = [
        Slot(one) if not type_.is_scalar and isinstance(one, Array) else one
        for one, type_ in zip(
            operands[op.segments[1]], op.operand_types[op.segments[1]], strict=True
        )
    ]
    dims = list(operands[op.segments[3]])
    tied = op.integers("tied_operands") or [-1] * len(op.results)
    results: list[Slot] = []
    fresh: list[Slot] = []
    for number, type_ in zip(tied, op.result_types, strict=True):
        count = sum(size is None for size in type_.dims or ())
        shape = sized(frame, type_, dims[:count])
        dims = dims[count:]
        if number >= 0:
            results.append(arguments[number])
        else:
            blank = np.zeros(shape, type_.number.dtype)
            fresh.append(Slot(Array(blank, np.ones(shape, np.bool_))))
            results.append(fresh[-1])
    inner.run(body, [*arguments, *fresh])
    return tuple(slot.array for slot in results)


@op("flow.dispatch.tie_shape", "flow.tensor.tie_shape")
def tie_shape(frame: Frame, op: Op, value: Any, *dims: Array) -> Any:
    """A promise about the dynamic sizes of a tensor."""
    if isinstance(value, Array):
        told = sized(frame, op.result_types[0], dims)
        if told != value.shape:
            raise UndefinedBehavior(
                f"a tensor of shape {list(value.shape)} is said to have shape {list(told)}"
            )
    return value


@op("iree_tensor_ext.dispatch.tensor.load", "flow.dispatch.tensor.load")
def load(frame: Frame, op: Op, slot: Slot, *rest: Array) -> Array:
    part = slot.array[slice_of(frame, op, (slot, *rest), 2, slot.array.shape)]
    return part.reshape(reduced_rank(op, part.shape))


@op("iree_tensor_ext.dispatch.tensor.store", "flow.dispatch.tensor.store")
def store(frame: Frame, op: Op, value: Array, slot: Slot, *rest: Array) -> None:
    where = slice_of(frame, op, (value, slot, *rest), 3, slot.array.shape)
    slot.array = inserted(value, slot.array, where)
