"""Delete ops in the bodies of other ops; their results become arguments of the function."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of, is_function, may_end_block, takes_arguments
from reducer.transformations.base import Site
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.boundary_types import BoundaryTypes


class DeleteNested:
    """Removes an op from a loop, a branch, a `linalg.generic`… and stubs its results.

    A body can use all values of its function, so a function argument can replace a value there too.
    Ops that are isolated from above are the exception; the parser rejects those candidates.

    The last op of a body is mostly its terminator, but some bodies need none
    (`fir.do_concurrent`). Of each kind of op, one that may be a terminator is tried, and only
    alone: if it is one, the ops that were deleted with it would stay, too. What ends the body of an
    op with results yields them, and is one.
    """

    name = "delete ops in bodies"
    all_at_once = False

    def __init__(self, boundary: BoundaryTypes) -> None:
        self.boundary = boundary

    def sites(self, module: Module) -> list[Site]:
        ends = [op for op in range(len(module)) if _ends_body(module, op)]
        yielding = {module.t.name[op] for op in ends if _yields(module, op)}
        tried = {name: op for op in ends if (name := module.t.name[op]) not in yielding}
        kept = set(ends).difference(tried.values())
        return [
            Site(op) for op in range(len(module)) if op not in kept and self._can_go(module, op)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        sites = [site for site in sites if not _ends_body(module, site.op)] or sites[:1]
        for site in sites:
            rewrite.remove(site.op)
        for site in sites:
            function = container_of(module, site.op)
            for value in module.results(site.op):
                if any(user not in rewrite.removed for user, _ in module.uses[value]):
                    kind = module.type_of(value)
                    rewrite.substitute(value, rewrite.add_argument(function, kind))
        return rewrite.render()

    def _can_go(self, module: Module, op: int) -> bool:
        block = module.t.block[op]
        if block == NONE or module.hidden[op] or op in module.t.successors:
            return False
        function = container_of(module, op)
        if function in (NONE, module.t.parent[op]) or is_function(module, op):
            return False
        if not takes_arguments(module, function) or is_referred_to(module, function):
            return False
        used = [value for value in module.results(op) if module.uses[value]]
        return all(self.boundary.allows(module.type_of(value)) for value in used)


def _ends_body(module: Module, op: int) -> bool:
    """Whether an op may be the terminator of a body, other than that of a function."""
    block, parent = module.t.block[op], module.t.parent[op]
    is_last = block != NONE and module.t.block_ops[block][-1] == op
    return is_last and not is_function(module, parent) and may_end_block(module, op)


def _yields(module: Module, op: int) -> bool:
    """Whether the op that an op is in has results."""
    return module.t.num_results[module.t.parent[op]] > 0
