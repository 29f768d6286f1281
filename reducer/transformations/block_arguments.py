"""Drop arguments of blocks that branches pass values to."""

from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import label_of, predecessors
from reducer.transformations.base import Site
from reducer.transformations.branches import passing


class DropBlockArguments:
    """Drops a block argument, and what each branch to the block passes for it.

    An argument can go if it is unused, or if all branches pass the same value: that value dominates
    the block, and takes its place. The number of a site is that of the argument's value.
    """

    name = "drop block arguments"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(module.def_parent(value), value)
            for block in _passed_to(module)
            for value in module.block_args(block)
            if not module.uses[value] or _same_value(module, value) != NONE
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        gone: set[int] = set()
        for value in (site.number for site in sites):
            if _same_value(module, value) in gone:
                continue  # its stand-in goes, so this one has to wait
            gone.add(value)
            if module.uses[value]:
                rewrite.substitute(value, module.tokens[_same_value(module, value)])
            block = module.t.def_block[value]
            number = value - module.t.block_first_arg[block]
            rewrite.drop_block_argument(block, number)
            for op, operand in _passed_for(module, value):
                rewrite.drop_operand(op, operand)
        return rewrite.render() if sites else None


def _passed_to(module: Module) -> Iterator[int]:
    """The blocks with arguments all of which are known to come from branches."""
    for block, branches in sorted(predecessors(module).items()):
        if block == NONE or not module.t.block_num_args[block] or not label_of(module, block):
            continue
        if block == module.t.region_blocks[module.t.block_region[block]][0]:
            continue
        if all(
            passing(module, op, number) is not None
            for op in branches
            for number in _edges(module, op, block)
        ):
            yield block


def _edges(module: Module, op: int, block: int) -> list[int]:
    """The numbers of the successors of a branch that are this block."""
    label = label_of(module, block)
    return [n for n, target in enumerate(module.t.successors[op]) if target == label]


def _passed_for(module: Module, value: int) -> list[tuple[int, int]]:
    """The operands that branches pass for a block argument, as (op, operand number)."""
    block = module.t.def_block[value]
    number = value - module.t.block_first_arg[block]
    return [
        (op, operands[number])
        for op in dict.fromkeys(predecessors(module).get(block, ()))
        for edge in _edges(module, op, block)
        if (operands := passing(module, op, edge)) is not None
    ]


def _same_value(module: Module, value: int) -> int:
    """The one value that all branches pass for an argument, except for itself; NONE if several."""
    if module.t.def_op[value] != NONE or not _is_passed(module, value):
        return NONE
    passed = {module.t.operands[op][n] for op, n in _passed_for(module, value)} - {value}
    if len(passed) != 1:
        return NONE
    (one,) = passed
    # If nothing enters the block, its own end may be all that branches to it.
    maker, block = module.t.def_op[one], module.t.def_block[value]
    return NONE if maker != NONE and module.t.block[maker] == block else one


def _is_passed(module: Module, value: int) -> bool:
    """Whether the branches to the block of an argument are all that defines it."""
    block = module.t.def_block[value]
    return block in module.derived(_all_passed_to)


def _all_passed_to(module: Module) -> frozenset[int]:
    return frozenset(_passed_to(module))
