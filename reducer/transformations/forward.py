"""Replace the results of an op by existing values of the same type."""

from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of, entry_block, is_function, takes_arguments
from reducer.transformations.base import Site
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.boundary_types import BoundaryTypes

_ALTERNATIVES = 3
_DEPTH = 3  # how many levels of operands to search: a pair of inverse casts spans two


class ForwardOperand:
    """Removes an op; its users take one of its operands, or another value in scope.

    Values in the bodies of other ops (`linalg.generic`, loops) cannot always become function
    arguments, but a block argument or an earlier result serves as well. Values that can be replaced
    by a new function argument are left to `DeleteOps` and `DeleteNested`, and existing function
    arguments are not tried for them either.
    """

    name = "forward operands"
    all_at_once = False

    def __init__(self, boundary: BoundaryTypes) -> None:
        self.boundary = boundary

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number)
            for op in range(len(module))
            if module.t.num_results[op] and not module.hidden[op] and not is_function(module, op)
            for number in range(len(self._alternatives(module, op)))
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        chosen: dict[int, dict[int, int]] = {}  # op -> used result -> its replacement
        for site in sites:
            if site.op not in chosen:
                replacements = self._replacements(module, site)
                if replacements is not None:
                    chosen[site.op] = replacements
        targets = _resolve_all(module, chosen)
        rewrite = Rewrite(module)
        for op in chosen:
            rewrite.remove(op)
        for value, target in targets.items():
            rewrite.substitute(value, module.tokens[target])
        return rewrite.render() if chosen else None

    def _replacements(self, module: Module, site: Site) -> dict[int, int] | None:
        first = self._alternatives(module, site.op)[site.number]
        out: dict[int, int] = {}
        for value in module.results(site.op):
            if module.uses[value]:
                other = self._same_type(module, value, first, site.op)
                if other is None:
                    return None
                out[value] = other
        return out

    def _alternatives(self, module: Module, op: int) -> list[int]:
        """Values with the type of the op's first used result, nearest first."""
        used = [v for v in module.results(op) if module.uses[v]]
        if not used:
            return []
        kind = module.type_of(used[0])
        tried = self._tried_by_others(module, op, kind)
        out: dict[int, None] = {}
        for value in self._in_reach(module, op, kind):
            if value not in out and value not in tried and module.type_of(value) == kind:
                out[value] = None
                if len(out) == _ALTERNATIVES:
                    break
        return list(out)

    def _tried_by_others(self, module: Module, op: int, kind: str) -> range:
        """The function's arguments, if a new argument would serve as well as one of them."""
        function = container_of(module, op)
        block = entry_block(module, function) if function != NONE else None
        if block is None or not self.boundary.allows(kind):
            return range(0)
        if not takes_arguments(module, function) or is_referred_to(module, function):
            return range(0)
        return module.block_args(block)

    def _in_reach(self, module: Module, op: int, kind: str) -> Iterator[int]:
        yield from _behind(module, op)
        block = module.t.block[op]
        if block == NONE:
            return
        yield from module.block_args(block)
        parent = module.t.parent[op]
        if parent != NONE and is_function(module, parent) and self.boundary.is_shaped(kind):
            return  # for data, arguments and transitive operands are enough
        for earlier in reversed(module.t.block_ops[block]):
            if earlier < op:
                yield from module.results(earlier)

    def _same_type(self, module: Module, value: int, replacement: int, op: int) -> int | None:
        kind = module.type_of(value)
        if module.type_of(replacement) == kind:
            return replacement
        return next(
            (v for v in self._in_reach(module, op, kind) if module.type_of(v) == kind), None
        )


def _behind(module: Module, op: int) -> Iterator[int]:
    """The op's transitive operands, breadth first, up to `_DEPTH` levels."""
    level, seen = [op], {op}
    for _ in range(_DEPTH):
        values = [v for op in level for v in module.t.operands[op] if v != NONE]
        yield from values
        producers = dict.fromkeys(module.t.def_op[v] for v in values)
        level = [p for p in producers if p != NONE and p not in seen]
        seen.update(level)


def _resolve_all(module: Module, chosen: dict[int, dict[int, int]]) -> dict[int, int]:
    """Maps each removed result to its final replacement; drops entries from `chosen` if needed.

    Ops have to stay if their replacements form a cycle, or if a replacement is an otherwise unused
    result of an op that is removed.
    """
    while True:
        flat = {value: other for pairs in chosen.values() for value, other in pairs.items()}
        targets = {value: _resolve(value, flat) for value in flat}
        lost = {
            module.t.def_op[value]
            for value, target in targets.items()
            if target is None or module.t.def_op[target] in chosen
        }
        if not lost:
            return {value: target for value, target in targets.items() if target is not None}
        for op in lost:
            del chosen[op]


def _resolve(value: int, chosen: dict[int, int]) -> int | None:
    """Follow substitutions to a value that stays; None if they form a cycle."""
    seen: set[int] = set()
    while value in chosen:
        if value in seen:
            return None
        seen.add(value)
        value = chosen[value]
    return value
