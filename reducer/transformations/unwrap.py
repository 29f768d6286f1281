"""Replace an op by its body: a loop runs once, a branch is taken."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of, is_function, takes_arguments
from reducer.transformations.base import Site
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.boundary_types import BoundaryTypes


class UnwrapBodies:
    """Replaces an op that has a single-block region by the ops of that block.

    The op's results become the values that the block yields; the block's arguments become operands
    of the same type, or new arguments of the function. This is the hoisting of hierarchical delta
    debugging (Vince et al., arXiv 2104.03637), applied to SSA form.
    """

    name = "unwrap bodies"
    all_at_once = False

    def __init__(self, boundary: BoundaryTypes) -> None:
        self.boundary = boundary

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number)
            for op in module.t.regions
            for number, region in enumerate(module.t.regions[op])
            if self._can_unwrap(module, op, region)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        # Nested sites, and second regions of an op, are left to the next sweep.
        first = {site.op: site for site in reversed(sites)}
        for op in module.outermost(first):  # definitions before uses
            self._unwrap(rewrite, first[op])
        return rewrite.render()

    def _can_unwrap(self, module: Module, op: int, region: int) -> bool:
        blocks = module.t.region_blocks[region]
        if len(blocks) != 1 or module.hidden[op] or is_function(module, op):
            return False
        function = container_of(module, op)
        if function == NONE or not takes_arguments(module, function):
            return False
        inner = module.t.block_ops[blocks[0]]
        if len(inner) < 2 or module.hidden[inner[0]]:
            return False
        values = module.block_args(blocks[0])
        if any(module.uses[v] for v in values) and is_referred_to(module, function):
            return False
        if not all(self.boundary.allows(module.type_of(v)) for v in values if module.uses[v]):
            return False
        return self._yielded(module, op, inner[-1]) is not None

    def _yielded(self, module: Module, op: int, terminator: int) -> dict[int, int] | None:
        """Maps each used result to a yielded value of its type, in order; None if one has none."""
        left = [v for v in module.t.operands[terminator] if v != NONE]
        out: dict[int, int] = {}
        for result in module.results(op):
            if not module.uses[result]:
                continue
            kind = module.type_of(result)
            match = next((v for v in left if module.type_of(v) == kind), None)
            if match is None:
                return None
            left.remove(match)
            out[result] = match
        return out

    def _unwrap(self, rewrite: Rewrite, site: Site) -> None:
        module = rewrite.module
        (block,) = module.t.region_blocks[module.t.regions[site.op][site.number]]
        *inner, terminator = module.t.block_ops[block]
        yielded = self._yielded(module, site.op, terminator) or {}
        for value, token in self._arguments(rewrite, site.op, block).items():
            rewrite.substitute(value, token)
        for op in inner:
            rewrite.rename(op)
        for result, value in yielded.items():
            rewrite.substitute(result, rewrite.token(value))
        rewrite.hoist(site.op, inner)

    def _arguments(self, rewrite: Rewrite, op: int, block: int) -> dict[int, str]:
        """What replaces the block's used arguments."""
        module = rewrite.module
        left = [v for v in module.t.operands[op] if v != NONE]
        out: dict[int, str] = {}
        for value in module.block_args(block):
            if not module.uses[value]:
                continue
            kind = module.type_of(value)
            match = next((v for v in left if module.type_of(v) == kind), None)
            if match is None:
                out[value] = rewrite.add_argument(container_of(module, op), kind)
            else:
                left.remove(match)
                out[value] = rewrite.token(match)
        return out
