"""Delete ops in the bodies of other ops; their results become arguments of the function."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import is_ordinary
from reducer.ir.functions import (
    container_of,
    is_function,
    may_end_block,
    signature,
    takes_arguments,
)
from reducer.transformations.base import Site
from reducer.transformations.body_ops import BodyOps, is_referred_to
from reducer.transformations.boundary_types import BoundaryTypes


class DeleteNested:
    """Removes an op from a loop, a branch, a `linalg.generic`… and stubs its results.

    A body can use all values of its function, so a function argument can replace a value there too.
    Ops that are isolated from above are the exception; the parser rejects those candidates.

    The last op of a body is mostly its terminator, but some bodies need none
    (`fir.do_concurrent`, `irdl.type`). Of each kind of op, one that may be a terminator is tried,
    and only alone: if it is one, the ops that were deleted with it would stay, too. What ends the
    body of an op with results yields them, and is one.
    """

    name = "delete ops in bodies"
    all_at_once = False

    def __init__(self, boundary: BoundaryTypes) -> None:
        self.boundary = boundary

    def sites(self, module: Module) -> list[Site]:
        ends = [op for op in range(len(module)) if _ends_body(module, op)]
        yielding = {module.t.name[op] for op in ends if _yields(module, op)}
        tried = {name: op for op in ends if (name := module.t.name[op]) not in yielding}
        kept = {op for op in set(ends) - {*tried.values()} if not _may_be_left_out(module, op)}
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
        if _may_be_left_out(module, op):
            return True
        function = container_of(module, op)
        if function in (NONE, module.t.parent[op]) or is_function(module, op):
            return False
        if not takes_arguments(module, function) or is_referred_to(module, function):
            return False
        used = [value for value in module.results(op) if module.uses[value]]
        return all(self.boundary.allows(module.type_of(value)) for value in used)


def _ends_body(module: Module, op: int) -> bool:
    """Whether an op may be the terminator of a body, other than that of a function with results."""
    block, parent = module.t.block[op], module.t.parent[op]
    is_last = block != NONE and module.t.block_ops[block][-1] == op
    if not is_last or not may_end_block(module, op):
        return False
    return not is_function(module, parent) or _may_be_left_out(module, op)


def _may_be_left_out(module: Module, op: int) -> bool:
    """Whether nothing says that an op at the end of a body is a terminator.

    That body is outside of functions, or that of one that returns nothing.
    """
    t, block, parent = module.t, module.t.block[op], module.t.parent[op]
    if block == NONE or t.block_ops[block][-1] != op or t.num_results[op] or _yields(module, op):
        return False
    if len(t.region_blocks[t.block_region[block]]) > 1 or is_ordinary(t.name[op].lower()):
        return False
    types = signature(module, parent)
    is_in = container_of(module, op) in (NONE, parent) and op not in BodyOps.of(module).outside
    return is_in and (types is None or not types[1])


def _yields(module: Module, op: int) -> bool:
    """Whether the op that an op is in has results."""
    return module.t.num_results[module.t.parent[op]] > 0
