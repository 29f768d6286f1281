"""Drop operands that are optional, or that are elements of a list."""

from collections import Counter
from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import is_opaque
from reducer.ir.functions import is_function
from reducer.ir.retype import segment_sizes
from reducer.ir.sizes.repeats import DYNAMIC
from reducer.transformations.base import Site


class DropOperands:
    """Drops single operands of variadic ops.

    Candidates are ops with operand segment sizes, and ops whose operands all have one type that
    differs from all result types, as when building a list. If a region has one argument per operand
    of a segment, the unused argument is dropped as well. The verifier decides what is allowed.
    """

    name = "drop operands"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [Site(op, number) for op in range(len(module)) for number in _droppable(module, op)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in _leaving_one(module, sites):
            rewrite.drop_operand(site.op, site.number)
            block, argument = _argument(module, site.op, site.number) or (NONE, NONE)
            if block != NONE:
                rewrite.drop_block_argument(block, argument)
        return rewrite.render()


def _leaving_one(module: Module, sites: Sequence[Site]) -> Iterator[Site]:
    """The sites without the last operand of a list: an empty list would change the problem."""
    left = Counter({site.op: len(module.t.operands[site.op]) for site in sites})
    for site in sites:
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
    for number in range(len(operands)):
        place = _argument(module, op, number)
        if place is None or not module.uses[module.block_args(place[0])[place[1]]]:
            yield number


def _is_list(module: Module, op: int) -> bool:
    if len(module.t.operands[op]) < 2 or op in module.t.regions or not module.t.num_results[op]:
        return False
    kinds = {module.type_of(value) for value in module.t.operands[op]}
    made = {module.type_of(value) for value in module.results(op)}
    return len(kinds) == 1 and kinds.isdisjoint(made)  # otherwise it may be binary arithmetic


def _argument(module: Module, op: int, number: int) -> tuple[int, int] | None:
    """Block and number of the entry block argument that an operand becomes, if any.

    The block arguments must correspond to one operand segment, optionally followed by the results.
    """
    block = next(module.blocks_of(op), None)
    count = module.t.block_num_args[block] if block is not None else 0
    start = 0
    _, sizes = segment_sizes(module, op) or (None, ())
    for size in sizes:
        if block is not None and start <= number < start + size:
            fits = size in (count, count - module.t.num_results[op])
            return (block, number - start) if fits else None
        start += size
    return None
