"""What is tied to arguments of blocks that branches pass values to."""

from collections.abc import Iterator

from reducer.ir import NONE, Module
from reducer.ir.functions import label_of, predecessors
from reducer.transformations.base import Site
from reducer.transformations.branches import passing
from reducer.transformations.ties import Position, Role, Tie


def block_arguments(module: Module) -> list[Tie]:
    """The arguments of blocks with what each branch to the block passes for it.

    If all branches pass the same value, that dominates the block, and can take the place of the
    argument. The number of a site is that of the argument's value.
    """
    ties: list[Tie] = []
    for block, edges in _passed_to(module):
        for number, value in enumerate(module.block_args(block)):
            row = [Position(Role.OPERAND, op, passed[number]) for op, passed in edges]
            same = {module.t.operands[op][passed[number]] for op, passed in edges} - {value}
            # If nothing enters the block, its own end may be all that branches to it.
            makers = {module.t.def_op[v] for v in same} - {NONE}
            is_from_outside = all(module.t.block[maker] != block for maker in makers)
            stand_ins = {value: list(same) if len(same) == 1 and is_from_outside else []}
            argument = Position(Role.ARGUMENT, block, number)
            ties.append(Tie(Site(module.def_parent(value), value), (argument, *row), stand_ins))
    return ties


def _passed_to(module: Module) -> Iterator[tuple[int, list[tuple[int, range]]]]:
    """The blocks with arguments all of which are known to come from branches, and from which.

    A branch is given with the numbers of the operands that it passes, once for each edge.
    """
    for block, branches in sorted(predecessors(module).items()):
        if block == NONE or not module.t.block_num_args[block]:
            continue
        label = label_of(module, block)
        if not label or block == module.t.region_blocks[module.t.block_region[block]][0]:
            continue
        edges = [
            (op, passing(module, op, number))
            for op in dict.fromkeys(branches)
            for number, target in enumerate(module.t.successors[op])
            if target == label
        ]
        known = [(op, passed) for op, passed in edges if passed is not None]
        if len(known) == len(edges):
            yield block, known
