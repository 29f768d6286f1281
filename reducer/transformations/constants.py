"""Equal constants."""

from reducer.ir import NONE, Module
from reducer.transformations.base import Site
from reducer.transformations.ties import Position, Role, Tie, results


def equal_constants(module: Module) -> list[Tie]:
    """Ops without operands or regions with an equal one earlier in the block, which stays."""
    seen: dict[tuple[int, str], int] = {}
    ties: list[Tie] = []
    t = module.t
    for op in range(len(module)):
        if t.operands[op] or op in t.regions or not t.num_results[op] or t.block[op] == NONE:
            continue
        if module.hidden[op]:
            continue
        first = seen.setdefault((t.block[op], module.header(op).split(" = ", 1)[1]), op)
        if first != op:
            stand_ins = zip(module.results(op), module.results(first), strict=True)
            row = (Position(Role.OP, op), *results(module, op))
            ties.append(Tie(Site(op, first), row, {value: [other] for value, other in stand_ins}))
    return ties
