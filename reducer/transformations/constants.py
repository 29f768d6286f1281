"""Merge equal constants."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.transformations.base import Site


class MergeConstants:
    """Replaces a constant by an equal one earlier in the same block."""

    name = "merge constants"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [Site(op, number=first) for op, first in _duplicates(module).items()]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        first_of = _duplicates(module)
        for site in sites:
            rewrite.remove(site.op)
            first = first_of[site.op]
            for value, other in zip(module.results(site.op), module.results(first), strict=True):
                rewrite.substitute(value, module.tokens[other])
        return rewrite.render()


def _duplicates(module: Module) -> dict[int, int]:
    """Maps each op without operands or regions to an equal earlier one in its block."""
    seen: dict[tuple[int, str], int] = {}
    out: dict[int, int] = {}
    t = module.t
    for op in range(len(module)):
        if t.operands[op] or op in t.regions or not t.num_results[op] or t.block[op] == NONE:
            continue
        if module.hidden[op]:
            continue
        body = module.header(op).split(" = ", 1)[1]
        first = seen.setdefault((t.block[op], body), op)
        if first != op:
            out[op] = first
    return out
