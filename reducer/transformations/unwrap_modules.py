"""Replace a module inside a module by what it contains."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of, may_end_block
from reducer.transformations.base import Site

DEEP = "with those inside it"


class UnwrapModules:
    """Replaces an op that only holds symbols and other modules, inside another op, by these.

    Models come as a module in a module, one for the host and one for each device, say. What refers
    to a symbol by way of the op that is gone is not followed: the parser then says so.

    With the name `DEEP`, the modules that it contains are replaced as well: a variant is valid in
    an executable only, and an executable may contain nothing else.
    """

    name = "unwrap modules"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        holders = [op for op in module.t.regions if _holds_symbols(module, op)]
        return [Site(op, name=name) for op in holders for name in _ways(module, op)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        deep = {site.op for site in sites if site.name == DEEP}
        for op in module.outermost(site.op for site in sites):
            rewrite.hoist(op, _contents(module, op) if op in deep else _inside(module, op))
        return rewrite.render()


def _ways(module: Module, op: int) -> tuple[str, ...]:
    """The names of the sites of an op, the likeliest last: a sweep begins there."""
    is_nested = any(_holds_symbols(module, one) for one in _inside(module, op))
    return ("", DEEP) if is_nested else ("",)


def _holds_symbols(module: Module, op: int) -> bool:
    t = module.t
    if t.parent[op] == NONE or container_of(module, op) != NONE or module.hidden[op]:
        return False
    if t.operands[op] or module.results(op) or len(t.regions.get(op, ())) != 1:
        return False
    blocks = t.region_blocks[t.regions[op][0]]
    if len(blocks) != 1 or module.block_args(blocks[0]):
        return False
    inner = _inside(module, op)
    return bool(inner) and all(
        not module.hidden[one] and (module.symbol_name(one) is not None or one in t.regions)
        for one in inner
    )


def _inside(module: Module, op: int) -> list[int]:
    """What an op contains, without a last op that only ends it, as in executables."""
    (block,) = module.t.region_blocks[module.t.regions[op][0]]
    ops = module.t.block_ops[block]
    return ops[:-1] if ops and _only_ends(module, ops[-1]) else ops


def _only_ends(module: Module, op: int) -> bool:
    t = module.t
    says = t.operands[op] or module.results(op) or op in t.regions or module.symbol_name(op)
    return not says and may_end_block(module, op)


def _contents(module: Module, op: int) -> list[int]:
    """What an op and the modules in it contain besides modules, in order."""
    ops: list[int] = []
    waiting = _inside(module, op)[::-1]
    while waiting:
        one = waiting.pop()
        if _holds_symbols(module, one):
            waiting += reversed(_inside(module, one))
        else:
            ops.append(one)
    return ops
