"""Delete ops of function bodies, with stubs for what they made."""

from collections.abc import Sequence

from reducer.ir import Module
from reducer.transformations.abi import Abi
from reducer.transformations.base import Site
from reducer.transformations.carve import Carving
from reducer.transformations.units import Units


class DeleteOps:
    """Lost values become arguments, values that lost a user are returned (see `carve`)."""

    name = "delete ops"
    all_at_once = False

    def __init__(self, abi: Abi) -> None:
        self.abi = abi

    def sites(self, module: Module) -> list[Site]:
        """Ops whose loss can be made good. Mere configuration goes with its last user."""
        return [Site(op) for op in Units.of(module).units if self._can_go(module, op)]

    def _can_go(self, module: Module, op: int) -> bool:
        used = [value for value in module.results(op) if module.uses[value]]
        return all(self.abi.allows(module.type_of(value)) for value in used)

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        units = Units.of(module)
        gone = frozenset(site.op for site in sites)
        keep = units.function_of.keys() - gone
        carving = Carving(units, keep, self.abi, gone=gone)
        return carving.render() if gone - carving.kept else None
