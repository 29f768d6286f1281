"""Replace the results of an op by existing values of the same type."""

from collections.abc import Iterator
from dataclasses import dataclass

from reducer.ir import NONE, Module
from reducer.ir.functions import container_of, entry_block, is_function, takes_arguments
from reducer.transformations.base import Site
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.boundary_types import BoundaryTypes
from reducer.transformations.ties import Position, Role, Tie, of_type, results

_ALTERNATIVES = 3
_DEPTH = 3  # how many levels of operands to search: a pair of inverse casts spans two


@dataclass(frozen=True)
class ForwardOperand:
    """Ops that go; their users take one of their operands, or another value in scope.

    Values in the bodies of other ops (`linalg.generic`, loops) cannot always become function
    arguments, but a block argument or an earlier result serves as well. Values that can be replaced
    by a new function argument are left to `DeleteOps` and `DeleteNested`, and existing function
    arguments are not tried for them either.
    """

    boundary: BoundaryTypes

    def ties(self, module: Module) -> list[Tie]:
        """Each op with results, once for each value that its first used result may become."""
        return [
            Tie(Site(op, number), (Position(Role.OP, op), *results(module, op)), stand_ins)
            for op in range(len(module))
            if module.t.num_results[op] and not module.hidden[op] and not is_function(module, op)
            for number, first in enumerate(self._alternatives(module, op))
            for stand_ins in [self._stand_ins(module, op, first)]
        ]

    def _stand_ins(self, module: Module, op: int, first: int) -> dict[int, list[int]]:
        kinds = {v: module.type_of(v) for v in module.results(op) if module.uses[v]}
        others = {v: (first, *self._in_reach(module, op, kind)) for v, kind in kinds.items()}
        return {value: of_type(module, value, others[value])[:1] for value in kinds}

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


def _behind(module: Module, op: int) -> Iterator[int]:
    """The op's transitive operands, breadth first, up to `_DEPTH` levels."""
    level, seen = [op], {op}
    for _ in range(_DEPTH):
        values = [v for op in level for v in module.t.operands[op] if v != NONE]
        yield from values
        producers = dict.fromkeys(module.t.def_op[v] for v in values)
        level = [p for p in producers if p != NONE and p not in seen]
        seen.update(level)
