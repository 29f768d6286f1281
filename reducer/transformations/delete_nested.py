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
        free = {op: op for op in ends if _may_be_left_out(module, op)}
        kinds = {(module.t.name[op], free.get(op)): op for op in ends}
        tried = {op for (name, _), op in kinds.items() if name not in yielding}
        kept = set(ends) - tried
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
        if is_function(module, op) or _may_be_left_out(module, op):
            return not is_function(module, op)
        if function in (NONE, module.t.parent[op]):
            return False
        if not takes_arguments(module, function) or is_referred_to(module, function):
            return False
        used = [value for value in module.results(op) if module.uses[value]]
        return all(self.boundary.allows(module.type_of(value)) for value in used)


def _ends_body(module: Module, op: int) -> bool:
    """Whether an op may be the terminator of a body, other than that of a function."""
    inside = not is_function(module, module.t.parent[op]) or _may_be_left_out(module, op)
    return _is_last(module, op) and inside and may_end_block(module, op)


def _may_be_left_out(module: Module, op: int) -> bool:
    """Whether nothing says that the last op of a body is a terminator.

    That body is outside of functions, or that of one that returns nothing.
    """
    t, parent = module.t, module.t.parent[op]
    if not _is_last(module, op) or t.num_results[op] or is_ordinary(t.name[op].lower()):
        return False
    if op in BodyOps.of(module).outside or len(t.region_blocks[t.block_region[t.block[op]]]) > 1:
        return False
    types = signature(module, parent)
    return container_of(module, op) in (NONE, parent) and (types is None or not types[1])


def _is_last(module: Module, op: int) -> bool:
    block = module.t.block[op]
    return block != NONE and module.t.block_ops[block][-1] == op


def _yields(module: Module, op: int) -> bool:
    """Whether the op that an op is in has results."""
    return module.t.num_results[module.t.parent[op]] > 0
