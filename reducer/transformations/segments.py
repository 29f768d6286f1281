"""What belongs to the operand segments of an op: block arguments, and items of lists."""

from itertools import accumulate, groupby
from operator import contains

from reducer.ir import Module
from reducer.ir.attribute_tree import items_of
from reducer.ir.retype import RESULT_SEGMENT_SIZES, SEGMENT_SIZES, segment_sizes
from reducer.ir.syntax import Entry


def passed_segments(module: Module, op: int) -> range:
    """The numbers of the segments whose operands become the arguments of the first block.

    Several in a row, of the types of the arguments. If there are none: one of as many operands as
    there are arguments, or as there are without one per result, whatever their types, but rather
    one whose types contain those.
    """
    block = next(module.blocks_of(op), None)
    count = module.t.block_num_args[block] if block is not None else 0
    _, sizes = segment_sizes(module, op) or (None, [])
    if block is None or not count:
        return range(0)
    starts = [0, *accumulate(sizes)]
    kinds = tuple(map(module.type_of, module.t.operands[op]))
    wanted = module.block_arg_types(block)
    for first, start in enumerate(starts[:-1]):
        last = next((n for n, end in enumerate(starts) if end == start + count), None)
        if last is not None and sizes[first] and kinds[start : start + count] == wanted:
            return range(first, last)
    counts = (count, count - module.t.num_results[op])
    fitting = [n for n, size in enumerate(sizes) if size in counts]
    alike = [n for n in fitting if all(map(contains, kinds[starts[n] : starts[n + 1]], wanted))]
    alone = next(iter(alike or fitting), None)
    return range(0) if alone is None else range(alone, alone + 1)


def bounding_segments(module: Module, op: int) -> list[int]:
    """The numbers of the segments that bound the arguments of the only block, as those of a loop.

    Three or more with an operand of its type for each argument: from, to, and in which steps.
    """
    blocks = list(module.blocks_of(op))
    wanted = module.block_arg_types(blocks[0]) if len(blocks) == 1 else ()
    _, sizes = segment_sizes(module, op) or (None, [])
    kinds = tuple(map(module.type_of, module.t.operands[op]))
    ends = list(accumulate(sizes))
    alike = [n for n, end in enumerate(ends) if wanted and kinds[end - sizes[n] : end] == wanted]
    return alike if len(alike) > 2 else []


def surely_passed(module: Module, op: int) -> bool:
    """Whether the passed operands are known by more than the types of arguments.

    Several segments are, and those with a list of symbols (`private_syms`). Of one segment alone,
    the types may be a coincidence (the lower bounds of `scf.parallel`, whose arguments are its
    induction variables).
    """
    passed = passed_segments(module, op)
    lists = lists_of_segments(module, op)
    named = (items_of(entry.value) for segment in passed for entry in lists.get(segment, ()))
    return len(passed) > 1 or any(items and items[0].startswith("@") for items in named)


def lists_of_segments(module: Module, op: int) -> dict[int, list[Entry]]:
    """The lists with an item for each operand of a segment, by the number of the segment.

    Which segment a list goes with is not written. Lists of one segment begin alike
    (`reduction_byref`, `reduction_syms`), segments and names are in the same order, and the last
    lists go with the segments that are passed to a region.
    """
    groups = _groups(module, op)
    if not groups:
        return {}
    _, sizes = segment_sizes(module, op) or (None, [])
    passed = passed_segments(module, op)
    inside, outside = list(passed), [n for n in range(len(sizes)) if n not in passed]
    found: dict[int, list[Entry]] = {}
    for entries, length in reversed(groups):
        number = next((n for n in reversed(inside) if sizes[n] == length), None)
        if number is not None:
            inside = [n for n in inside if n < number]
        else:
            number = next((n for n in outside if sizes[n] == length), None)
        if number is not None:
            found.setdefault(number, entries)
    return found


def _groups(module: Module, op: int) -> list[tuple[list[Entry], int]]:
    """The lists whose names have the same first word and that are equally long."""
    lists = [
        (entry, len(items))
        for entry in module.syntax(op).entries
        if entry.name not in (*SEGMENT_SIZES, *RESULT_SEGMENT_SIZES)
        if (items := items_of(entry.value))
    ]
    kinds = groupby(lists, lambda one: (one[0].name.partition("_")[0], one[1]))
    return [([entry for entry, _ in group], length) for (_, length), group in kinds]
