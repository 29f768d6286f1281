"""Drop functions, globals and other ops that stand beside the functions."""

from collections.abc import Sequence

from reducer.ir import Module, Rewrite
from reducer.transformations.base import Site
from reducer.transformations.units import Units


class DropSymbols:
    """Drops whole functions, globals and executables that nothing else refers to."""

    name = "drop symbols"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        units = Units.of(module)
        return [Site(op) for op in sorted(_beside(units)) if _is_free(units, op)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            rewrite.remove(site.op)
        return rewrite.render()


def _beside(units: Units) -> list[int]:
    return [*units.functions, *units.shells, *units.others]


def _is_free(units: Units, op: int) -> bool:
    name = units.module.symbol_name(op)
    return name is None or all(
        units.module.is_inside(user, op) for user in units.referenced.get(name, ())
    )
