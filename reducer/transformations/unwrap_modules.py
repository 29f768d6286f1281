"""Replace a module inside a module by what it contains."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of
from reducer.transformations.base import Site


class UnwrapModules:
    """Replaces an op that only holds symbols and other modules, inside another op, by these.

    Models come as a module in a module, one for the host and one for each device, say. What refers
    to a symbol by way of the op that is gone is not followed: the parser then says so.
    """

    name = "unwrap modules"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [Site(op) for op in module.t.regions if _holds_symbols(module, op)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for op in module.outermost(site.op for site in sites):
            rewrite.hoist(op, _inside(module, op))
        return rewrite.render()


def _holds_symbols(module: Module, op: int) -> bool:
    t = module.t
    if t.parent[op] == NONE or container_of(module, op) != NONE or module.hidden[op]:
        return False
    if t.operands[op] or module.results(op) or len(t.regions[op]) != 1:
        return False
    blocks = t.region_blocks[t.regions[op][0]]
    if len(blocks) != 1 or module.block_args(blocks[0]):
        return False
    inner = t.block_ops[blocks[0]]
    return bool(inner) and all(
        not module.hidden[one] and (module.symbol_name(one) is not None or one in t.regions)
        for one in inner
    )


def _inside(module: Module, op: int) -> list[int]:
    (block,) = module.t.region_blocks[module.t.regions[op][0]]
    return module.t.block_ops[block]
