"""Reduce a called function to its declaration."""

from collections.abc import Sequence

from reducer.ir import Module, Rewrite
from reducer.transformations.base import Site
from reducer.transformations.call_graph import calls


class EmptyCallees:
    """Drops the bodies of called functions. MLIR requires declarations to be private."""

    name = "empty called functions"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        callees = sorted({function for _, function in calls(module)})
        return [Site(function) for function in callees if any(module.children(function))]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            rewrite.replace(module.t.header_end[site.op], module.t.tail_start[site.op], "")
            syntax = module.syntax(site.op)
            if syntax.property("sym_visibility"):
                rewrite.set_entry(site.op, "sym_visibility", '"private"')
            elif syntax.properties_span is not None:
                inside = syntax.properties_span[0] + len("<{")
                rewrite.replace(inside, inside, 'sym_visibility = "private", ')
        return rewrite.render()
