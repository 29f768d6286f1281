"""Simplify branches to an unconditional branch to one target."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import plain_jump
from reducer.ir.functions import block_named, is_jump
from reducer.ir.retype import operand_segments, sizes_in_last
from reducer.transformations.base import Site
from reducer.transformations.ties import Position, Role, Tie

_TWO_WAYS = 2  # a condition has no case that could go


class TakeOneBranch:
    """Makes a conditional branch unconditional and drops the blocks that become unreachable.

    The number of a site is that of the target. If one branch has several sites, the first wins.
    """

    name = "take one branch"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number)
            for op, targets in sorted(module.t.successors.items())
            if len(targets) > 1 and op not in module.t.regions and _jump_beside(module, op)
            for number in range(len(targets))
            if passed_to(module, op, number) is not None
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        chosen: dict[int, int] = {}
        for site in sites:
            chosen.setdefault(site.op, site.number)
        rewrite, t = Rewrite(module), module.t
        for op, number in chosen.items():
            rewrite.replace(t.start[op], t.end[op], _jump(module, op, number))
            for other in set(range(len(t.successors[op]))) - {number}:
                rewrite.drop_successor(op, other)
        return rewrite.render() if chosen else None


def cases(module: Module) -> list[Tie]:
    """The targets of a branch with several cases, but the first, and what is passed to them."""
    return [
        Tie(Site(op, number), (Position(Role.TARGET, op, number), *passed))
        for op, targets in sorted(module.t.successors.items())
        for number in range(1, len(targets) if len(targets) > _TWO_WAYS else 0)
        if (numbers := passing(module, op, number)) is not None
        for passed in [[Position(Role.OPERAND, op, place) for place in numbers]]
    ]


def passed_to(module: Module, op: int, number: int) -> tuple[int, ...] | None:
    """The operands that a branch passes to one of its targets; None if that is unknown."""
    found = passing(module, op, number)
    return None if found is None else tuple(module.t.operands[op][n] for n in found)


def passing(module: Module, op: int, number: int) -> range | None:
    """The numbers of the operands that a branch passes to a target; None if that is unknown."""
    operands, targets = module.t.operands[op], module.t.successors[op]
    target = block_named(module, op, targets[number])
    if target == NONE:
        return None
    wanted = module.t.block_num_args[target]
    if not wanted:
        return range(0)
    sizes = operand_segments(module, op) or [0, len(operands)]
    if inner := sizes_in_last(module, op):
        sizes = [*sizes[:-1], *inner[1]]
    if len(sizes) != len(targets) + 1 or sizes[number + 1] != wanted:
        return None
    start = sum(sizes[: number + 1])
    passed = range(start, start + wanted)
    return None if any(operands[n] == NONE for n in passed) else passed


def _jump_beside(module: Module, op: int) -> str:
    """The name of the plain jump that can replace a branch; '' if none is known.

    A dialect that only has branches that choose uses the jumps of another (`fir.select_case`).
    """
    name, jumps = module.t.name[op], module.derived(_jumps)
    own = plain_jump(name) or jumps.get(name.partition(".")[0])
    return own or next(iter(jumps.values()), "")


def _jumps(module: Module) -> dict[str, str]:
    """A plain jump of each dialect that has one in the module."""
    names = (module.t.name[op] for op in module.t.successors if is_jump(module, op))
    return {name.partition(".")[0]: name for name in names}


def _jump(module: Module, op: int, number: int) -> str:
    passed = passed_to(module, op, number) or ()
    tokens = ", ".join(module.tokens[value] for value in passed)
    types = ", ".join(module.type_of(value) for value in passed)
    header = module.header(op)
    indent = header[: len(header) - len(header.lstrip())]
    name = _jump_beside(module, op)
    target = module.t.successors[op][number]
    return f'{indent}"{name}"({tokens})[{target}] : ({types}) -> ()\n'
