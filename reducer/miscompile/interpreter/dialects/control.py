"""Functions, branches and structured control flow: func, cf and scf.

Source: MLIR language reference, 'func', 'cf' and 'scf' dialects. Control flow that depends on
poison is undefined behavior.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import integers, parse_type, string
from reducer.miscompile.interpreter.errors import Divergent, ProgramError, UndefinedBehavior
from reducer.miscompile.interpreter.interpreter import (
    BRANCHES,
    EXTERNAL,
    Frame,
    can_batch,
    is_external,
    steps,
    uniform,
)
from reducer.miscompile.interpreter.loops import Races
from reducer.miscompile.interpreter.program import Block, Op, Region
from reducer.miscompile.interpreter.registry import op, terminators
from reducer.miscompile.interpreter.values import Array

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
        raise ProgramError(f"assertion: {string(op.text('msg') or op.text('message'))}")


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
    """The reductions may be done in any order: where another one makes more of a difference than
    rounding, the result is poison.
    """
    lower, upper, step, initial = (operands[group] for group in op.segments)
    ranges = [
        range(*(frame.index(bound, "a loop bound") for bound in bounds))
        for bounds in zip(lower, upper, step, strict=True)
    ]
    rows: list[Sequence[Any]] = []
    reductions: Sequence[Region] = ()
    for point in itertools.product(*ranges):
        last, terms = frame.run_to_terminator(op.regions[0], [Array(np.int64(n)) for n in point])
        assert last is not None
        reductions = last.regions
        rows.append(terms)
    values = list(initial)
    for number, reduction in enumerate(reductions):
        terms = [row[number] for row in rows]
        found = _reduced(frame, reduction, values[number], terms)
        other = _reduced(frame, reduction, values[number], terms[::-1])
        values[number] = Array(found.data, found.mask() | other.mask() | _far(found, other))
    return tuple(values)


def _reduced(frame: Frame, reduction: Region, value: Any, terms: Sequence[Any]) -> Any:
    for term in terms:
        value = frame.run(reduction, (value, term))[0]
    return value


def _far(one: Array, other: Array) -> Any:
    """Where two orders of a reduction differ by more than rounding."""
    if one.data.dtype.kind in "iub":
        return one.data != other.data
    left, right = (np.asarray(side.data, np.float64) for side in (one, other))
    return ~np.isclose(left, right, rtol=_ROUNDING, atol=0, equal_nan=True)


_ROUNDING = 1e-2


terminators(["scf.reduce", "scf.forall.in_parallel"])


@op("scf.forall")
def forall(frame: Frame, op: Op, *operands: Any) -> tuple[Any, ...]:
    """The threads run one after the other; each inserts its slices into the shared outputs.

    What two of them insert in one place is poison, unless it is the same, and so is what one of
    them reads of another one.
    """
    groups = [operands[group] for group in op.segments]
    lower = frame.sizes(op, "staticLowerBound", groups[0])
    upper = frame.sizes(op, "staticUpperBound", groups[1])
    step = frame.sizes(op, "staticStep", groups[2])
    shared = list(groups[3])
    ranges = [range(*bounds) for bounds in zip(lower, upper, step, strict=True)]
    body = op.regions[0]
    outputs = list(body.block.arguments)[len(ranges) :]
    races = [Races(one.data.shape) for one in shared]
    for point in itertools.product(*ranges):
        seen = [
            Array(one.data, one.mask() | race.written)
            for one, race in zip(shared, races, strict=True)
        ]
        last, _ = frame.run_to_terminator(body, [*(Array(np.int64(n)) for n in point), *seen])
        assert last is not None
        clear = [Array(one.data) for one in shared]
        full = [Array(one.data, np.ones(one.shape, np.bool_)) for one in shared]
        masks = [
            [one.mask() for one in _inserted(frame, last, outputs, into)] for into in (clear, full)
        ]
        shared, old = _inserted(frame, last, outputs, shared), shared
        for race, before, after, *two in zip(races, old, shared, *masks, strict=True):
            written = two[0] == two[1]  # elsewhere the mask is the given one
            race.note(..., (before.data, before.mask()), (after.data, after.mask()), written)
    return tuple(
        Array(one.data, one.mask() | race.lost) for one, race in zip(shared, races, strict=True)
    )


def _inserted(
    frame: Frame, terminator: Op, outputs: Sequence[int], into: Sequence[Array]
) -> list[Array]:
    """What the outputs are once a thread has inserted its slices."""
    frame.values.update(zip(outputs, into, strict=True))
    frame.run_to_terminator(terminator.regions[0], ())
    return [frame.values[number] for number in outputs]
