"""Functions, branches and structured control flow: func, cf and scf.

Source: MLIR language reference, 'func', 'cf' and 'scf' dialects. Control flow that depends on
poison is undefined behavior.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.evaluator.attributes import integers, string
from reducer.evaluator.errors import Divergent, RunFailure, UndefinedBehavior
from reducer.evaluator.interpreter import (
    BRANCHES,
    EXTERNAL,
    Frame,
    can_batch,
    is_external,
    steps,
    uniform,
)
from reducer.evaluator.program import Block, Op, Region
from reducer.evaluator.registry import op, terminators
from reducer.evaluator.types import parse_type
from reducer.evaluator.values import Array

terminators(
    [
        "cf.br", "cf.cond_br", "cf.switch", "func.return", "scf.yield", "scf.condition",
        "scf.reduce.return",
    ]
)  # fmt: skip

# ---- functions ----------------------------------------------------------------------------------


@op("func.call", "util.call")
def call(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    callee = op.symbol("callee")
    known = EXTERNAL.get(callee)
    if known is not None and is_external(frame.program.symbols[callee]):
        return known(frame, op, operands)
    return tuple(frame.interpreter.invoke(callee, operands))


# ---- cf -----------------------------------------------------------------------------------------


def _branch(frame: Frame, op: Op, operands: list[Any]) -> tuple[Block, list[Any]]:
    return op.successors[0], operands


def _conditional(frame: Frame, op: Op, operands: list[Any]) -> tuple[Block, list[Any]]:
    taken = truth(frame, operands[0])
    groups = op.segments
    return op.successors[0 if taken else 1], operands[groups[1 if taken else 2]]


def _switch(frame: Frame, op: Op, operands: list[Any]) -> tuple[Block, list[Any]]:
    flag = frame.index(operands[0], "a branch")
    values = integers(op.text("case_values")) if op.has("case_values") else []
    groups = _case_operands(op, operands[op.segments[2]])
    if flag in values:
        number = values.index(flag)
        return op.successors[number + 1], groups[number]
    return op.successors[0], operands[op.segments[1]]


def _case_operands(op: Op, operands: list[Any]) -> list[list[Any]]:
    left = iter(operands)
    return [list(itertools.islice(left, n)) for n in op.integers("case_operand_segments")]


BRANCHES.update({"cf.br": _branch, "cf.cond_br": _conditional, "cf.switch": _switch})


def truth(frame: Frame, condition: Array) -> bool:
    """A condition that is the same at all points."""
    return bool(uniform(np.asarray(frame.known(condition, "a branch"))))


@op("cf.assert", "util.assert", batched=True)
def assertion(frame: Frame, op: Op, condition: Array) -> None:
    if not np.all(frame.known(condition, "an assertion")):
        raise RunFailure(f"assertion: {string(op.text('msg') or op.text('message'))}")


# ---- scf ----------------------------------------------------------------------------------------


@op("scf.if", batched=True)
def if_(frame: Frame, op: Op, condition: Array) -> tuple[Any, ...]:
    try:
        taken = truth(frame, condition)
    except Divergent:
        return _divergent_if(frame, op, condition.data)
    return _branch_of(frame, op, taken)


def _branch_of(frame: Frame, op: Op, taken: bool) -> tuple[Any, ...]:
    region = op.regions[0 if taken else 1] if len(op.regions) > (not taken) else None
    return tuple(frame.run(region, ())) if region is not None and region.blocks else ()


def _divergent_if(frame: Frame, op: Op, condition: Any) -> tuple[Any, ...]:
    """Each branch is evaluated for the points that take it."""
    if frame.batch is None or not can_batch(op):
        raise Divergent
    if any(not type_.is_scalar for type_ in op.result_types):
        raise Divergent
    shape = frame.batch
    chosen = np.broadcast_to(condition, shape)
    results = [
        (np.zeros(shape, type_.number.dtype), np.zeros(shape, np.bool_))
        for type_ in op.result_types
    ]
    for taken in (True, False):
        points = chosen if taken else ~chosen
        values = _at_points(frame, op, points, taken)
        for (data, poison), value in zip(results, values, strict=True):
            data[points] = value.data
            poison[points] = value.mask()
    return tuple(Array(data, poison) for data, poison in results)


def _at_points(frame: Frame, op: Op, points: Any, taken: bool) -> tuple[Any, ...]:
    """Evaluate one branch with what it uses narrowed down to some points."""
    module = op.program.module
    shape = points.shape
    saved: dict[int, Any] = {}
    for number in module.captured(op.number):
        value = frame.values[number]
        if isinstance(value, Array) and value.data.ndim and _is_scalar(op, number):
            saved[number] = value
            frame.values[number] = value.map(lambda a: np.broadcast_to(a, shape)[points])
    indices = [np.broadcast_to(index, shape)[points] for index in frame.indices]
    try:
        return tuple(
            frame.in_batch(
                (int(points.sum()),), indices, lambda: list(_branch_of(frame, op, taken))
            )
        )
    finally:
        frame.values.update(saved)


def _is_scalar(op: Op, value: int) -> bool:
    return parse_type(op.program.resolved(op.program.module.type_of(value))).is_scalar


@op("scf.for", batched=True)
def for_(frame: Frame, op: Op, lower: Array, upper: Array, step: Array, *carried: Any) -> Any:
    start, stop, by = (frame.index(bound, "a loop bound") for bound in (lower, upper, step))
    if by <= 0:
        raise UndefinedBehavior(f"a loop step of {by}")
    kind = lower.data.dtype.type
    values: Sequence[Any] = carried
    for index in steps(range(start, stop, by)):
        values = frame.run(op.regions[0], (Array(kind(index)), *values))
    return tuple(values)


@op("scf.while", batched=True)
def while_(frame: Frame, op: Op, *carried: Any) -> tuple[Any, ...]:
    values: Sequence[Any] = carried
    for _ in steps():
        condition, *passed = frame.run(op.regions[0], values)
        if not truth(frame, condition):
            break
        values = frame.run(op.regions[1], passed)
    return tuple(passed)


@op("scf.execute_region")
def execute_region(frame: Frame, op: Op) -> tuple[Any, ...]:
    return tuple(frame.run(op.regions[0], ()))


@op("scf.index_switch", batched=True)
def index_switch(frame: Frame, op: Op, flag: Array) -> tuple[Any, ...]:
    cases = op.integers("cases")
    value = frame.index(flag, "a branch")
    region = op.regions[cases.index(value) + 1 if value in cases else 0]
    return tuple(frame.run(region, ()))


@op("scf.parallel")
def parallel(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    """The reductions are done in the order of the points."""
    lower, upper, step, initial = (operands[group] for group in op.segments)
    ranges = [
        range(*(frame.index(bound, "a loop bound") for bound in bounds))
        for bounds in zip(lower, upper, step, strict=True)
    ]
    values = list(initial)
    for point in itertools.product(*ranges):
        last, terms = frame.run_to_terminator(op.regions[0], [Array(np.int64(n)) for n in point])
        for number, term in enumerate(terms):
            assert last is not None
            values[number] = frame.run(last.regions[number], (values[number], term))[0]
    return tuple(values)


terminators(["scf.reduce", "scf.forall.in_parallel"])


@op("scf.forall")
def forall(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    """The threads run one after the other; each inserts its slices into the shared outputs."""
    groups = [operands[group] for group in op.segments]
    lower = frame.sizes(op, "staticLowerBound", groups[0])
    upper = frame.sizes(op, "staticUpperBound", groups[1])
    step = frame.sizes(op, "staticStep", groups[2])
    shared = list(groups[3])
    ranges = [range(*bounds) for bounds in zip(lower, upper, step, strict=True)]
    body = op.regions[0]
    outputs = list(body.block.arguments)[len(ranges) :]
    for point in itertools.product(*ranges):
        last, _ = frame.run_to_terminator(body, [*(Array(np.int64(n)) for n in point), *shared])
        assert last is not None
        frame.values.update(zip(outputs, shared, strict=True))
        frame.run_to_terminator(_insertions(last), ())
        shared = [frame.values[number] for number in outputs]
    return tuple(shared)


def _insertions(terminator: Op) -> Region:
    return terminator.regions[0]
