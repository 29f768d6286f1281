"""Drop operands that an op can do without: optional ones, and elements of lists."""

from collections import Counter
from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import is_opaque
from reducer.ir.functions import is_function
from reducer.ir.retype import segment_sizes
from reducer.ir.sizes.repeats import DYNAMIC
from reducer.transformations.base import Site


class DropOperands:
    """Drops single operands of ops that may have more or fewer of them.

    Those are ops which say how many operands each of their groups has, and ops all of whose
    operands have the same type and no result does, as of lists. Where a body has one argument for
    each operand of a group, an unused argument goes along. What may not go is for the compiler's
    verifier to say.
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
    """The sites, but for the last operand of a list: an op on nothing is another question."""
    left = Counter({site.op: len(module.t.operands[site.op]) for site in sites})
    for site in sites:
        left[site.op] -= 1
        if left[site.op] > 0 or not _is_list(module, site.op):
            yield site


def _droppable(module: Module, op: int) -> Iterator[int]:
    """Numbers of the operands that an op might do without."""
    operands = module.t.operands[op]
    block = module.t.block[op]
    if not operands or NONE in operands or module.hidden[op] or is_function(module, op):
        return
    if block == NONE or module.t.block_ops[block][-1] == op or op in module.t.successors:
        return
    text = module.own_text(op)
    if "indexing_maps = " in text or "callee = " in text or is_opaque(module.t.name[op]):
        return  # their operands belong together with other things, which others know
    if f"{DYNAMIC}" in text:
        return  # each place that an array calls dynamic has its operand
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
    return len(kinds) == 1 and kinds.isdisjoint(made)  # else it is arithmetic on two values


def _argument(module: Module, op: int, number: int) -> tuple[int, int] | None:
    """Block and number of the argument that an operand becomes in an op's first body, if any.

    The arguments are those of one group of operands, and perhaps one for each result after them.
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
