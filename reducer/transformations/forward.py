"""Replace what an op makes by a value of the same type that exists already."""

from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import is_function
from reducer.transformations.abi import Abi
from reducer.transformations.base import Site

_ALTERNATIVES = 3
_DEPTH = 3  # how far behind an op to look: casts there and back are two apart


class ForwardOperand:
    """Removes an op and lets its users take one of its operands, or another value in reach.

    Ops in the bodies of other ops (`linalg.generic`, loops) cannot turn into arguments as those
    of functions do; for them an argument of the block or an earlier result does as well.
    """

    name = "forward operands"
    all_at_once = False

    def __init__(self, abi: Abi) -> None:
        self.abi = abi

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number)
            for op in range(len(module))
            if module.t.num_results[op] and not module.hidden[op] and not is_function(module, op)
            for number in range(len(self._alternatives(module, op)))
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        chosen: dict[int, int] = {}  # value -> the value that stands in for it
        removed: set[int] = set()
        for site in sites:
            if site.op in removed:
                continue
            removed.add(site.op)
            stand_in = self._alternatives(module, site.op)[site.number]
            for value in module.results(site.op):
                if not module.uses[value]:
                    continue
                other = self._same_type(module, value, stand_in, site.op)
                if other is None:
                    return None
                chosen[value] = other
        rewrite = Rewrite(module)
        for op in removed:
            rewrite.remove(op)
        for value in chosen:
            target = _resolve(value, chosen)
            if target is None or module.t.def_op[target] in removed:
                return None
            rewrite.substitute(value, module.t.token[target])
        return rewrite.render()

    def _alternatives(self, module: Module, op: int) -> list[int]:
        """Values of the type of the op's first used result, nearest first."""
        used = [v for v in module.results(op) if module.uses[v]]
        if not used:
            return []
        kind = module.type_of(used[0])
        out: dict[int, None] = {}
        for value in self._in_reach(module, op, kind):
            if value not in out and module.type_of(value) == kind:
                out[value] = None
                if len(out) == _ALTERNATIVES:
                    break
        return list(out)

    def _in_reach(self, module: Module, op: int, kind: str) -> Iterator[int]:
        yield from _behind(module, op)
        block = module.t.block[op]
        if block == NONE:
            return
        yield from module.block_args(block)
        parent = module.t.parent[op]
        if parent != NONE and is_function(module, parent) and self.abi.is_shaped(kind):
            return  # of data, arguments and what lies behind are enough
        for earlier in reversed(module.t.block_ops[block]):
            if earlier < op:
                yield from module.results(earlier)

    def _same_type(self, module: Module, value: int, stand_in: int, op: int) -> int | None:
        kind = module.type_of(value)
        if module.type_of(stand_in) == kind:
            return stand_in
        return next(
            (v for v in self._in_reach(module, op, kind) if module.type_of(v) == kind), None
        )


def _behind(module: Module, op: int) -> Iterator[int]:
    """Operands, then the operands of their producers, and so on: breadth first, for a while."""
    level, seen = [op], {op}
    for _ in range(_DEPTH):
        values = [v for op in level for v in module.t.operands[op] if v != NONE]
        yield from values
        producers = dict.fromkeys(module.t.def_op[v] for v in values)
        level = [p for p in producers if p != NONE and p not in seen]
        seen.update(level)


def _resolve(value: int, chosen: dict[int, int]) -> int | None:
    """Follows substitutions to a value that stays; None if they run in a circle."""
    seen: set[int] = set()
    while value in chosen:
        if value in seen:
            return None
        seen.add(value)
        value = chosen[value]
    return value
