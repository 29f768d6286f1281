"""Delete an op together with everything that depends on it."""

from collections.abc import Collection, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of, is_function, takes_arguments, terminator_of
from reducer.transformations.base import Site
from reducer.transformations.body_ops import BodyOps, is_referred_to
from reducer.transformations.dead import newly_dead_ops

_DEEPEST = 16  # levels of bodies; no program that people write has as many


class DeleteWithUsers:
    """Removes an op with all its transitive users; needs no stubs, so it works where they do not.

    It acts in the bodies of ops, in functions with several blocks, and in functions whose type is
    fixed because they are referenced; elsewhere stubs work better.

    The closures are those of binary reduction (Kalhauge & Palsberg, ESEC/FSE 2019), but follow
    dependencies from definitions to uses.
    """

    name = "delete ops with their users"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op)
            for op in range(len(module))
            if _is_deletable(module, op) and not _is_in_plain_function(module, op)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        dropped: dict[int, set[int]] = {}  # terminator -> operand numbers to drop
        waiting = [site.op for site in sites]
        while waiting:
            op = waiting.pop()
            if op in rewrite.removed:
                continue
            rewrite.remove(op)
            for value in _results_inside(module, op):
                for user, number in module.uses[value]:
                    if _is_deletable(module, user):
                        waiting.append(user)
                    else:
                        dropped.setdefault(user, set()).add(number)
        for terminator, numbers in dropped.items():
            if not _drop_returned(rewrite, terminator, numbers):
                return None
        return rewrite.render() if rewrite.removed else None


class DeleteUnused:
    """Removes ops whose results are unused, at any depth.

    First tries to remove the ops that become unused with them as well (`number` 1), so that a chain
    takes one step instead of one per op. With several sites, what only these use goes, too.
    """

    name = "delete unused ops"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        # The search tries later sites first.
        return [
            Site(op, number)
            for op in _unused(module)
            for number in range(2 if _has_chain_behind(module, op) else 1)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        gone = {site.op for site in sites}
        if len(sites) > 1 or any(site.number for site in sites):
            gone |= _chain_behind(module, gone)
        for op in gone:
            rewrite.remove(op)
        return rewrite.render()


class DeleteUnusedResults(DeleteUnused):
    """Removes all ops at once that have results, none of which is used.

    Ops without results are there for what they do. If one of these is needed, others remove them.
    """

    name = "delete unused results"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [Site(0)] if any(module.t.num_results[op] for op in _unused(module)) else []

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        ops = [op for op in _unused(module) if module.t.num_results[op]]
        return super().apply(module, [Site(op, 1) for op in ops])


def _unused(module: Module) -> list[int]:
    deletable = (op for op in range(len(module)) if _is_deletable(module, op))
    return [op for op in deletable if not any(module.uses[v] for v in module.results(op))]


def _has_chain_behind(module: Module, op: int) -> bool:
    """Whether it is worth looking: each op around an op would look at that again."""
    return module.derived(_depths)[op] <= _DEEPEST and bool(_chain_behind(module, [op]))


def _depths(module: Module) -> list[int]:
    out: list[int] = []
    for parent in module.t.parent:
        out.append(0 if parent == NONE else out[parent] + 1)
    return out


def _chain_behind(module: Module, ops: Collection[int]) -> set[int]:
    """The ops that become unused when these ops are removed."""
    inside = {inner for op in ops for inner in module.subtree(op)}
    uses = [(inner, n) for inner in inside for n in range(len(module.t.operands[inner]))]
    dead = (newly_dead_ops(module, uses, root) for root in module.roots)
    return set().union(*dead) - inside


def _is_deletable(module: Module, op: int) -> bool:
    """Whether an op is in a block and is not a terminator, function or hidden op.

    Module-level symbols are excluded, because `DropSymbols` handles them.
    """
    block = module.t.block[op]
    if block == NONE or module.hidden[op] or is_function(module, op):
        return False
    if container_of(module, op) == NONE and module.t.num_results[op]:
        return True  # module level: the block may have no terminator
    return module.t.block_ops[block][-1] != op and op not in BodyOps.of(module).outside


def _is_in_plain_function(module: Module, op: int) -> bool:
    parent = module.t.parent[op]
    return (
        is_function(module, parent)
        and takes_arguments(module, parent)
        and terminator_of(module, parent) is not None
        and not is_referred_to(module, parent)
    )


def _results_inside(module: Module, op: int) -> list[int]:
    return [value for inner in module.subtree(op) for value in module.results(inner)]


def _drop_returned(rewrite: Rewrite, terminator: int, numbers: set[int]) -> bool:
    module = rewrite.module
    if terminator in rewrite.removed:
        return True
    function = module.t.parent[terminator]
    if function == NONE or not is_function(module, function):
        return any(module.is_inside(terminator, op) for op in rewrite.removed)
    if terminator_of(module, function) != terminator or is_referred_to(module, function):
        return False
    for number in numbers:
        rewrite.drop_operand(terminator, number)
    return True
