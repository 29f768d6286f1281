"""Drop blocks that no path from the entry block reaches."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import end_of_block, label_of, predecessors, reachable_blocks
from reducer.transformations.base import Site


class DropUnreachableBlocks:
    """Drops unreachable blocks, each with the other unreachable ones that refer to it.

    The number of a site is that of the block. Nothing reachable can use a value that an unreachable
    block defines, so what is left is well formed.
    """

    name = "drop unreachable blocks"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(owner, block)
            for owner, regions in module.t.regions.items()
            for region in regions
            for block in _unreachable(module, region)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        branches = predecessors(module)
        gone: set[int] = set()
        for site in sites:
            _add_with_users(module, site.number, branches, gone)
        for block in gone:
            rewrite.replace(module.t.block_start[block], end_of_block(module, block), "")
        return rewrite.render() if gone else None


def _unreachable(module: Module, region: int) -> list[int]:
    blocks = module.t.region_blocks[region]
    if len(blocks) < 2:
        return []
    reached = reachable_blocks(module, region)
    return [block for block in blocks if block not in reached and label_of(module, block)]


def _add_with_users(
    module: Module, block: int, branches: dict[int, list[int]], gone: set[int]
) -> None:
    """Add a block, and those that branch to it or use its values, to `gone`."""
    waiting = [block]
    while waiting:
        block = waiting.pop()
        if block in gone:
            continue
        gone.add(block)
        values = [*module.block_args(block)]
        for op in module.t.block_ops[block]:
            values += module.results(op)
        users = [op for value in values for op, _ in module.uses[value]]
        region = module.t.block_region[block]
        for op in (*branches.get(block, ()), *users):
            around = _block_in(module, op, region)
            if around != NONE:
                waiting.append(around)


def _block_in(module: Module, op: int, region: int) -> int:
    """The block of a region that contains an op, at whatever depth; NONE if none does."""
    while op != NONE:
        block = module.t.block[op]
        if block != NONE and module.t.block_region[block] == region:
            return block
        op = module.t.parent[op]
    return NONE
