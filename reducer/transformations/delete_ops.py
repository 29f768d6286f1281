"""Delete ops of function bodies and stub their results."""

from collections.abc import Sequence

from reducer.ir import Module
from reducer.transformations.base import Site
from reducer.transformations.body_ops import BodyOps
from reducer.transformations.boundary_types import BoundaryTypes
from reducer.transformations.carve import Carving


class DeleteOps:
    """Lost values become arguments; values that lost a user are returned (see `carve`)."""

    name = "delete ops"
    all_at_once = False

    def __init__(self, boundary: BoundaryTypes) -> None:
        self.boundary = boundary

    def sites(self, module: Module) -> list[Site]:
        """Ops whose used results can be stubbed. Configuration is dropped with its last user."""
        return [Site(op) for op in BodyOps.of(module).ops if self._can_go(module, op)]

    def _can_go(self, module: Module, op: int) -> bool:
        kinds = module.result_types(op)
        if len(kinds) == module.t.num_results[op] and all(map(self.boundary.allows, kinds)):
            return True
        used = (value for value in module.results(op) if module.uses.any_of(value))
        return all(self.boundary.allows(module.type_of(value)) for value in used)

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        body = BodyOps.of(module)
        gone = frozenset(site.op for site in sites)
        keep = body.function_of.keys() - gone
        carving = Carving(body, keep, self.boundary, gone=gone)
        return carving.render() if gone - carving.kept else None
