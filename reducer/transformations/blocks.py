"""Merge a block into its only predecessor."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import block_named, is_jump, predecessors
from reducer.transformations.base import Site


class MergeBlocks:
    """Removes the branch between two blocks that are adjacent in the text.

    The operands of the branch replace the arguments of the second block.
    """

    name = "merge blocks"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        found = predecessors(module)
        return [
            Site(op)
            for op in sorted(module.t.successors)
            if is_jump(module, op) and _is_only_way(module, op, found)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        t = module.t
        for site in sorted(sites, key=lambda site: site.op):
            target = block_named(module, site.op, t.successors[site.op][0])
            passed = zip(module.block_args(target), t.operands[site.op], strict=True)
            for argument, value in passed:
                rewrite.substitute(argument, rewrite.token(value))
            rewrite.replace(t.start[site.op], t.end[site.op], "")
            rewrite.replace(t.block_start[target], t.block_label_end[target], "")
        return rewrite.render() if sites else None


def _is_only_way(module: Module, op: int, found: dict[int, list[int]]) -> bool:
    t = module.t
    target = block_named(module, op, t.successors[op][0])
    if target == NONE or found.get(target) != [op] or NONE in t.operands[op]:
        return False
    if len(t.operands[op]) != t.block_num_args[target]:
        return False
    if not t.block_ops[target]:  # an entry block without a label must not be empty
        return False
    blocks = t.region_blocks[t.block_region[target]]
    here = blocks.index(t.block[op])
    return here + 1 < len(blocks) and blocks[here + 1] == target
