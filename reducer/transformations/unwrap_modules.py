"""Replace a module inside a module by what it contains."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of
from reducer.transformations.base import Site


class UnwrapModules:
    """Replaces an op that does nothing but hold symbols, inside another op, by those symbols.

    Models come as a module in a module, one for the host and one for each device, say. What refers
    to a symbol by way of the op that is gone is not followed: the parser then says so.
    """

    name = "unwrap modules"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [Site(op) for op in module.t.regions if _holds_symbols(module, op)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        done: list[int] = []
        for op in sorted(site.op for site in sites):
            # The next sweep handles a module in one that is unwrapped.
            if not any(module.is_inside(op, outer) for outer in done):
                rewrite.hoist(op, _inside(module, op))
                done.append(op)
        return rewrite.render()


def _holds_symbols(module: Module, op: int) -> bool:
    t = module.t
    if t.parent[op] == NONE or container_of(module, op) != NONE or module.hidden[op]:
        return False
    if t.operands[op] or any(True for _ in module.results(op)) or len(t.regions[op]) != 1:
        return False
    blocks = t.region_blocks[t.regions[op][0]]
    if len(blocks) != 1 or any(True for _ in module.block_args(blocks[0])):
        return False
    inner = t.block_ops[blocks[0]]
    return bool(inner) and all(
        not module.hidden[one] and (module.symbol_name(one) is not None or one in t.regions)
        for one in inner
    )


def _inside(module: Module, op: int) -> list[int]:
    (block,) = module.t.region_blocks[module.t.regions[op][0]]
    return module.t.block_ops[block]
