"""Drop operands that are optional, or that are elements of a list."""

from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module
from reducer.ir.affine import map_of
from reducer.ir.dialects import is_opaque
from reducer.ir.functions import is_function
from reducer.ir.retype import segment_sizes
from reducer.ir.sizes.repeats import DYNAMIC
from reducer.ir.syntax import Entry
from reducer.transformations.attributes import ops_with_attributes
from reducer.transformations.base import Site
from reducer.transformations.segments import (
    bounding_segments,
    lists_of_segments,
    passed_segments,
    surely_passed,
)
from reducer.transformations.tied_regions import carried_operands
from reducer.transformations.ties import Position, Role, Tie

LISTS = "with its items"


def variadic_operands(module: Module) -> list[Tie]:
    """Single operands of variadic ops, with what belongs to them.

    Candidates are ops with operand segment sizes, and ops whose operands all have one type that
    differs from all result types, as when building a list. If a region has one argument per operand
    of some segments, the argument is dropped as well; if it is used, the operand takes its place,
    or stays if it is only probable that it is passed. What bounds an argument of a loop goes with
    it, as long as the loop has another one. With the name `LISTS`, a site also drops the operand's
    item from the lists that seem to have one per operand. The verifier decides what is allowed.
    """
    return [
        tie
        for op in range(len(module))
        for number in _candidates(module, op)
        if Position(Role.OPERAND, op, number) not in module.derived(carried_operands)
        for tie in _ties(module, op, number)
    ]


def map_inputs(module: Module) -> list[Tie]:
    """Inputs of affine maps that no result uses, with what is given for them: the last operands."""
    ties: list[Tie] = []
    for op in ops_with_attributes(module):
        kinds, entries = module.syntax(op).operand_types, module.syntax(op).entries
        maps = [(e.name, affine) for e in entries if (affine := map_of(module, e.value))]
        inputs = [(name, n, affine) for name, affine in maps for n in range(len(affine.inputs))]
        given = range(max(len(kinds) - len(inputs), 0), len(kinds))
        is_plain = segment_sizes(module, op) is None  # otherwise the dims may be those of a shape
        if is_plain and kinds[given.start :] == ("index",) * len(inputs):
            for place, (name, number, affine) in zip(given, inputs, strict=True):
                if number in affine.unused:
                    unused = Position(Role.INPUT, op, number, name)
                    ties.append(Tie(Site(op, place), (Position(Role.OPERAND, op, place), unused)))
    return ties


def leaves_one(module: Module, op: int, numbers: set[int]) -> bool:
    """Whether not all operands of a list go: an empty list would change the problem."""
    return len(numbers) < len(module.t.operands[op]) or not _is_list(module, op)


def _ties(module: Module, op: int, number: int) -> Iterator[Tie]:
    bounds, block = _bounds(module, op, number), next(module.blocks_of(op), NONE)
    if bounds and (number != bounds[0] or module.t.block_num_args[block] < 2):
        return
    row = [Position(Role.OPERAND, op, place) for place in bounds or (number,)]
    stand_ins: dict[int, Sequence[int]] = {}
    if (argument := _argument(module, op, number)) is not None:
        row.append(Position(Role.ARGUMENT, block, argument))
        taken, given = module.block_args(block)[argument], module.t.operands[op][number]
        is_sure = module.type_of(taken) == module.type_of(given) and surely_passed(module, op)
        stand_ins[taken] = [given] if bounds or is_sure else []
    yield Tie(Site(op, number), tuple(row), stand_ins)
    items = [
        Position(Role.ITEM, op, place, entry.name) for entry, place in _lists(module, op, number)
    ]
    if items:
        yield Tie(Site(op, number, LISTS), (*row, *items), stand_ins)


def _candidates(module: Module, op: int) -> Sequence[int]:
    """Numbers of the operands that may be optional."""
    operands = module.t.operands[op]
    block = module.t.block[op]
    if not operands or NONE in operands or module.hidden[op] or is_function(module, op):
        return ()
    if block == NONE or module.t.block_ops[block][-1] == op or op in module.t.successors:
        return ()
    text = module.own_text(op)
    if "indexing_maps = " in text or "callee = " in text or is_opaque(module.t.name[op]):
        return ()  # such operands have counterparts that other transformations handle
    if f"{DYNAMIC}" in text:
        return ()  # each dynamic entry of an array has its operand
    if segment_sizes(module, op) is None and not _is_list(module, op):
        return ()
    return range(len(operands))


def _is_list(module: Module, op: int) -> bool:
    if len(module.t.operands[op]) < 2 or op in module.t.regions or not module.t.num_results[op]:
        return False
    kinds = {module.type_of(value) for value in module.t.operands[op]}
    made = {module.type_of(value) for value in module.results(op)}
    return len(kinds) == 1 and kinds.isdisjoint(made)  # otherwise it may be binary arithmetic


def _argument(module: Module, op: int, number: int) -> int | None:
    """The number of the argument of the first block that an operand becomes, if any."""
    passed = passed_segments(module, op)
    _, sizes = segment_sizes(module, op) or (None, [])
    first = sum(sizes[: passed.start])
    return number - first if first <= number < sum(sizes[: passed.stop]) else None


def _bounds(module: Module, op: int, number: int) -> tuple[int, ...]:
    """The numbers of the operands that bound the same argument of a loop as one of them."""
    bounding = bounding_segments(module, op)
    _, sizes = segment_sizes(module, op) or (None, [])
    starts = [sum(sizes[:segment]) for segment in bounding]
    places = (number - start for start in starts if 0 <= number - start < sizes[bounding[0]])
    place = next(places, NONE)
    return () if place == NONE else tuple(start + place for start in starts)


def _lists(module: Module, op: int, number: int) -> Iterator[tuple[Entry, int]]:
    """The lists with an item for an operand, and the place of this item."""
    _, sizes = segment_sizes(module, op) or (None, [])
    for segment, entries in lists_of_segments(module, op).items():
        first = sum(sizes[:segment])
        if first <= number < first + sizes[segment]:
            yield from ((entry, number - first) for entry in entries)
