"""Drop source locations, which are there only if the failure needs some."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.debug_info import has_locations, location_span
from reducer.transformations.base import Site


class DropLocations:
    """Removes the locations of ops."""

    name = "drop locations"
    all_at_once = False  # the failure needs one

    def sites(self, module: Module) -> list[Site]:
        if not has_locations(module.text):
            return []
        return [Site(op) for op in range(len(module)) if _span(module, op)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            if span := _span(module, site.op):
                rewrite.replace(*span, "")
        return rewrite.render()


def _span(module: Module, op: int) -> tuple[int, int] | None:
    """Where in the module's text the location of an op is, with the space before it."""
    t = module.t
    start = t.start[op] if t.tail_start[op] == NONE else t.tail_start[op]
    end = t.end[op]
    lines = module.text[start:end].rstrip().splitlines(keepends=True)
    found = location_span(lines[-1]) if lines else None
    if found is None:
        return None
    at = start + sum(map(len, lines[:-1]))
    return at + found[0], at + found[1]
