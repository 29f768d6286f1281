"""Drop operands that are optional, or that are elements of a list."""

from collections import Counter
from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.attribute_tree import items_of, without_items
from reducer.ir.dialects import is_opaque
from reducer.ir.functions import is_function
from reducer.ir.retype import segment_sizes
from reducer.ir.sizes.repeats import DYNAMIC
from reducer.ir.syntax import Entry
from reducer.transformations.base import Site
from reducer.transformations.segments import (
    bounding_segments,
    lists_of_segments,
    passed_segments,
    surely_passed,
)

LISTS = "with its items"


class DropOperands:
    """Drops single operands of variadic ops.

    Candidates are ops with operand segment sizes, and ops whose operands all have one type that
    differs from all result types, as when building a list. If a region has one argument per operand
    of some segments, the argument is dropped as well; if it is used, the operand takes its place,
    or stays if it is only probable that it is passed. What bounds an argument of a loop goes with
    it, as long as the loop has another one. With the name `LISTS`, a site also drops the operand's
    item from the lists that seem to have one per operand. The verifier decides what is allowed.
    """

    name = "drop operands"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number, name)
            for op in range(len(module))
            for number in _droppable(module, op)
            for name in (("", LISTS) if any(_lists(module, op, number)) else ("",))
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        gone: dict[tuple[int, str], set[int]] = {}
        # Outer ops first: an operand may be an argument that another operand takes the place of.
        for site in sorted(_leaving_one(module, sites), key=lambda site: site.op):
            op, number = site.op, site.number
            for place in _bounds(module, op, number) or (number,):
                rewrite.drop_operand(op, place)
            block, argument = _argument(module, op, number) or (NONE, NONE)
            if block != NONE:
                value = module.block_args(block)[argument]
                rewrite.substitute(value, rewrite.token(module.t.operands[op][number]))
                rewrite.drop_block_argument(block, argument)
            for entry, place in _lists(module, op, number) if site.name == LISTS else ():
                gone.setdefault((op, entry.name), set()).add(place)
        for (op, name), places in gone.items():
            entry = next(entry for entry in module.syntax(op).entries if entry.name == name)
            left = without_items(entry.value, places)
            rewrite.set_entry(op, name, left if items_of(left) else None)
        return rewrite.render()


def _leaving_one(module: Module, sites: Sequence[Site]) -> Iterator[Site]:
    """The sites without the last operand of a list: an empty list would change the problem."""
    left = Counter({site.op: len(module.t.operands[site.op]) for site in sites})
    chosen = {(site.op, site.number): site for site in sites}  # with its lists if that is asked for
    for site in chosen.values():
        left[site.op] -= 1
        if left[site.op] > 0 or not _is_list(module, site.op):
            yield site


def _droppable(module: Module, op: int) -> Iterator[int]:
    """Numbers of the operands that may be optional."""
    operands = module.t.operands[op]
    block = module.t.block[op]
    if not operands or NONE in operands or module.hidden[op] or is_function(module, op):
        return
    if block == NONE or module.t.block_ops[block][-1] == op or op in module.t.successors:
        return
    text = module.own_text(op)
    if "indexing_maps = " in text or "callee = " in text or is_opaque(module.t.name[op]):
        return  # such operands have counterparts that other transformations handle
    if f"{DYNAMIC}" in text:
        return  # each dynamic entry of an array has its operand
    if segment_sizes(module, op) is None and not _is_list(module, op):
        return
    for number, value in enumerate(operands):
        block, argument = _argument(module, op, number) or (NONE, NONE)
        taken = NONE if block == NONE else module.block_args(block)[argument]
        if bounds := _bounds(module, op, number):
            if number == bounds[0] and module.t.block_num_args[block] > 1:
                yield number
        elif (
            taken == NONE
            or not module.uses[taken]
            or (module.type_of(taken) == module.type_of(value) and surely_passed(module, op))
        ):
            yield number


def _is_list(module: Module, op: int) -> bool:
    if len(module.t.operands[op]) < 2 or op in module.t.regions or not module.t.num_results[op]:
        return False
    kinds = {module.type_of(value) for value in module.t.operands[op]}
    made = {module.type_of(value) for value in module.results(op)}
    return len(kinds) == 1 and kinds.isdisjoint(made)  # otherwise it may be binary arithmetic


def _argument(module: Module, op: int, number: int) -> tuple[int, int] | None:
    """Block and number of the entry block argument that an operand becomes, if any."""
    passed = passed_segments(module, op)
    _, sizes = segment_sizes(module, op) or (None, [])
    first = sum(sizes[: passed.start])
    block = next(module.blocks_of(op), None)
    if block is None or not first <= number < sum(sizes[: passed.stop]):
        return None
    return block, number - first


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
