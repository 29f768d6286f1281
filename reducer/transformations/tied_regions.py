"""What is tied through the regions of an op: operands, arguments, yielded operands and results.

Ops are recognized by the types in these lists, not by name: each dialect has loops and reductions.
"""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module
from reducer.ir.affine import map_of
from reducer.ir.attribute_tree import items_of
from reducer.ir.dialects import has_hidden_body
from reducer.ir.functions import is_function
from reducer.ir.retype import SEGMENT_SIZES, segment_sizes
from reducer.ir.shapes import parse_shaped
from reducer.ir.sizes.repeats import DYNAMIC
from reducer.transformations.base import Site
from reducer.transformations.ties import (
    Position,
    Role,
    Tie,
    arguments,
    of_type,
    operands,
    results,
    value_at,
)

_OF_RESULTS = re.compile("reduction")
"""In the name of a list with an item for each result."""
_WITHOUT_BLOCKS = "without its blocks"
_MOST_FIXED = 2
"""Regions of an op with a fixed number of them, as a rule."""

Row = list[Position]
"""Positions that are tied."""


def carried(module: Module) -> list[Tie]:
    """What an op has for each of its results: values that a loop carries, or that it reduces.

    What is used elsewhere is replaced by a tied operand of its type, the initial value.
    """
    ties: list[Tie] = []
    for op in module.t.regions:
        blocks = _blocks(module, op)
        for read in _READINGS if blocks else ():
            rows = list(read(module, op, blocks))
            ties += [
                Tie(Site(op, number), tuple(row), _stand_ins(module, op, row), read is _reduced)
                for number, row in enumerate(rows)
            ]
            if rows:
                break
    return ties


def carried_operands(module: Module) -> frozenset[Position]:
    """The operands that probably do not go without a result."""
    return frozenset(at for tie in module.derived(carried) for at in tie.positions)


def _blocks(module: Module, op: int) -> list[int]:
    """The blocks of an op with a block, and ops, in each of its regions; otherwise empty."""
    blocks = list(module.blocks_of(op))
    is_simple = len(blocks) == len(module.t.regions[op]) and all(
        module.t.block_ops[block] for block in blocks
    )
    if not is_simple or module.hidden[op] or is_function(module, op):
        return []
    has_own_ties = "indexing_maps = " in module.own_text(op)  # see `structured`
    return [] if has_own_ties or has_hidden_body(module.t.name[op]) else blocks


def _stand_ins(module: Module, op: int, row: Row) -> dict[int, Sequence[int]]:
    if any(at.role is Role.REGION for at in row):
        return {}  # most failures in what combines values need that: it goes if nothing uses it
    given = [value_at(module, at) for at in row if at[:2] == (Role.OPERAND, op)]
    values = [value_at(module, at) for at in row if at.role in (Role.ARGUMENT, Role.RESULT)]
    return {value: of_type(module, value, given) for value in values}


def _yielded(module: Module, block: int) -> Row:
    return operands(module, module.t.block_ops[block][-1])


def _types(module: Module, column: Row) -> list[str]:
    values = (value_at(module, at) for at in column)
    return ["" if value == NONE else module.type_of(value) for value in values]


def _elements(module: Module, column: Row) -> list[str]:
    return list(map(_element, _types(module, column)))


def _element(kind: str) -> str:
    shaped = parse_shaped(kind)
    return shaped.element if shaped else kind


def _carried(module: Module, op: int, blocks: Sequence[int]) -> Iterator[Row]:
    """Rows of the last operands, arguments and yielded operands with the types of the results."""
    made = results(module, op)
    kinds = _types(module, made)
    if not kinds or len(blocks) > 2:
        return
    columns = [made, operands(module, op)[-len(kinds) :]]
    if len(blocks) == 1 and (combined := _combined(module, blocks[0], kinds)):
        columns += combined
    else:
        columns += [arguments(module, block)[-len(kinds) :] for block in blocks]
        for place, block in enumerate(blocks):
            last = module.t.block_ops[block][-1]
            given = operands(module, last)
            is_condition = len(given) == 1 and place < len(blocks) - 1
            if last in module.t.regions or (is_condition and _types(module, given) != kinds):
                continue  # it passes the values on in its own body, or yields a condition only
            if len(given) - len(kinds) not in (0, 1):  # a condition may come before the values
                return
            columns.append(given[-len(kinds) :])
    whole = (Role.OP, Role.REGION)
    typed = (column for column in columns if not column or column[0].role not in whole)
    if any(_types(module, column) != kinds for column in typed):
        return
    for row in zip(*columns, strict=True):
        yield [*row, *_using_inside(module, row)]


def _using_inside(module: Module, row: Sequence[Position]) -> Row:
    """The ops in the body of a terminator that pass on an argument of a row."""
    arguments = [at for at in row if at.role is Role.ARGUMENT]
    lasts = {value_at(module, at): module.t.block_ops[at.owner][-1] for at in arguments}
    users = ((op, last) for value, last in lasts.items() for op, _ in module.uses[value])
    return [Position(Role.OP, op) for op, last in users if module.t.parent[op] == last]


def _combined(module: Module, block: int, kinds: Sequence[str]) -> list[Row]:
    """Columns of what combines two values of each of these types, if there is that for each.

    An op without results that has a region with two arguments of the type, or such a region of
    the last op (`scf.reduce`, in earlier and later releases).
    """
    t, wanted = module.t, [[(kind, kind)] for kind in kinds]
    *before, last = t.block_ops[block]
    ops = [op for op in before if op in t.regions and not t.num_results[op]]
    if wanted == [[module.block_arg_types(inner) for inner in module.blocks_of(op)] for op in ops]:
        return [[Position(Role.OP, op) for op in ops]]
    regions = [t.region_blocks[region] for region in t.regions.get(last, ())]
    if wanted == [list(map(module.block_arg_types, blocks)) for blocks in regions]:
        combining = [Position(Role.REGION, last, number) for number in range(len(kinds))]
        return [given, combining] if len(given := operands(module, last)) == len(kinds) else []
    return []


def _reduced(module: Module, op: int, blocks: Sequence[int]) -> Iterator[Row]:
    """Rows of an op with several arguments of its only block for each of several results.

    What combines values takes those of one side first, and yields one for each result. What
    compares them takes two of a kind at a time.
    """
    made, given = results(module, op), operands(module, op)
    kinds, count = _elements(module, made), len(made)
    taken = arguments(module, blocks[0])
    many = len(taken) // count if count else 0
    if len(blocks) > 1 or count < 2 or many < 2 or len(taken) != many * count:
        return
    columns, yielded = [made], _yielded(module, blocks[0])
    while given:
        is_side = _elements(module, given[:count]) == kinds
        columns += [given[:count]] if is_side else []
        given = given[count if is_side else 1 :]
    if combines := _elements(module, yielded) == kinds:
        columns.append(yielded)
    sides = [
        taken[side * count : (side + 1) * count] if combines else taken[side::many]
        for side in range(many)
    ]
    if len(columns) > 1 and all(_elements(module, side) == kinds for side in sides):
        yield from map(list, zip(*columns, *sides, strict=True))


def _exchanged(module: Module, op: int, blocks: Sequence[int]) -> Iterator[Row]:
    """Rows of what comes into the first of two bodies, and then of what leaves it.

    The second body yields as much as comes in; the first yields a condition and what leaves.
    """
    if len(blocks) != 2:
        return
    first, second = (arguments(module, block) for block in blocks)
    sent, back = (_yielded(module, block) for block in blocks)
    for columns in ([operands(module, op), first, back], [results(module, op), second, sent[1:]]):
        if len({tuple(_types(module, column)) for column in columns}) == 1:
            yield from map(list, zip(*columns, strict=True))


def _chosen(module: Module, op: int, blocks: Sequence[int]) -> Iterator[Row]:
    """Rows of what each body without arguments yields for each result, as branches do."""
    bodies = [block for block in blocks if not module.t.block_num_args[block]]
    columns = [results(module, op), *(_yielded(module, block) for block in bodies)]
    if bodies and len({tuple(_types(module, column)) for column in columns}) == 1:
        yield from map(list, zip(*columns, strict=True))


def _listed(module: Module, op: int, blocks: Sequence[int]) -> Iterator[Row]:
    """Rows of what the body yields for each result, with the kinds of reductions in a list."""
    made, yielded = results(module, op), _yielded(module, blocks[0])
    lists = [
        [Position(Role.ITEM, op, number, entry.name) for number in range(len(made))]
        for entry in module.syntax(op).entries
        if _OF_RESULTS.search(entry.name) and len(items_of(entry.value) or ()) == len(made)
    ]
    if lists and len(blocks) == 1 and _types(module, made) == _types(module, yielded):
        yield from map(list, zip(made, yielded, *lists, strict=True))


_READINGS = (_listed, _reduced, _carried, _exchanged, _chosen)


def passed(module: Module) -> list[Tie]:
    """Operands that an op passes to each of its regions.

    Another argument of its type takes the place of a used one.
    """
    ties: list[Tie] = []
    for op in module.t.regions:
        blocks = _blocks(module, op)
        kinds = {module.block_arg_types(block) for block in blocks}
        is_read = len(kinds) == 1 and not any(_reduced(module, op, blocks))
        given = _given(module, op, list(*kinds)) if is_read else []
        columns = [given, *(arguments(module, block) for block in blocks if given)]
        for number, row in enumerate(zip(*columns, strict=True)):
            taken = [(value_at(module, at), module.block_args(at.owner)) for at in row[1:]]
            others = {value: of_type(module, value, beside) for value, beside in taken}
            ties.append(Tie(Site(op, number), row, others))
    return ties


def loop_dims(module: Module) -> list[Tie]:
    """What a loop has for each of its induction variables: three or more lists, as of its bounds.

    Another variable takes the place of a used one. Dims whose bounds are operands stay.
    """
    ties: list[Tie] = []
    for op in module.t.regions:
        for block in _blocks(module, op)[:1]:
            items = _lists_of_arguments(module, op, block)
            count = len(items[0]) if len(items) > 2 else 0
            variables = module.block_args(block)[:count]
            for number, row in enumerate(zip(*items, strict=True) if count > 1 else ()):
                taken = Position(Role.ARGUMENT, block, number)
                others = {variables[number]: variables}
                ties.append(Tie(Site(op, number), (taken, *row), others))
    return ties


def leaves_a_dim(module: Module, op: int, numbers: set[int]) -> bool:
    """Whether a loop keeps one of its dims."""
    block = next(module.blocks_of(op))
    return len(numbers) < len(_lists_of_arguments(module, op, block)[0])


def _lists_of_arguments(module: Module, op: int, block: int) -> list[Row]:
    """The lists with a number for each of the first arguments, which are indices."""
    kinds = module.block_arg_types(block)
    lists = [
        (entry.name, map_.results if map_ else items_of(entry.value))
        for entry in module.syntax(op).entries
        if entry.name not in SEGMENT_SIZES and not _OF_RESULTS.search(entry.name)
        for map_ in [map_of(module, entry.value)]
    ]
    return [
        [Position(Role.ITEM, op, number, name) for number in range(len(items))]
        for name, items in lists
        if items
        and kinds.count("index") == len(items)
        and kinds[: len(items)] == ("index",) * len(items)
        and f"{DYNAMIC}" not in items
    ]


def optional_regions(module: Module) -> list[Tie]:
    """Regions of an op with any number of them, and the blocks of one that may be empty.

    A case goes with its item in each list with one for each region, or for all but the first.
    """
    ties: list[Tie] = []
    for op, regions in module.t.regions.items():
        if module.hidden[op] or is_function(module, op):
            continue
        blocks = [module.t.region_blocks[region] for region in regions]
        ties += _cases(module, op, len(blocks)) if len(blocks) > 1 and all(blocks) else []
        for number, inner in enumerate(blocks[1:], 1):
            if inner and not module.t.num_results[op] and not module.t.block_num_args[inner[0]]:
                site = Site(op, number, _WITHOUT_BLOCKS)
                ties.append(Tie(site, (Position(Role.BLOCKS, op, number),)))
    return ties


def _cases(module: Module, op: int, count: int) -> Iterator[Tie]:
    lists = _lists_of_regions(module, op)
    for number in range(count) if lists or count > _MOST_FIXED else ():
        items = [Position(Role.ITEM, op, number - less, name) for name, less in lists]
        if all(at.number >= 0 for at in items):
            yield Tie(Site(op, number), (Position(Role.REGION, op, number), *items))


def _lists_of_regions(module: Module, op: int) -> list[tuple[str, int]]:
    """The lists with items for regions, and how many of the first regions have none."""
    count = len(module.t.regions[op])
    sized = ((entry.name, items_of(entry.value)) for entry in module.syntax(op).entries)
    lists = ((name, count - len(items)) for name, items in sized if items)
    return [(name, less) for name, less in lists if less in (0, 1)]


def _given(module: Module, op: int, kinds: Sequence[str]) -> Row:
    """The operands in a row that have these types, or elements of these types; the last or first.

    Of an op with segments, only the last: `variadic_operands` knows about the others.
    """
    given, count = operands(module, op), len(kinds)
    types, elements = _types(module, given), _elements(module, given)
    if not 0 < count <= len(given) or "" in types:
        return []
    last = len(given) - count
    starts = [last, *range(last)] if segment_sizes(module, op) is None else [last]
    exact = [start for start in starts if types[start : start + count] == kinds]
    alike = [start for start in range(last + 1) if elements[start : start + count] == kinds]
    found = exact or (alike if len(starts) > last else [])
    return given[found[0] : found[0] + count] if found else []
