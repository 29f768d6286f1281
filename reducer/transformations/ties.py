"""Drop positions together with what is tied to them.

An operand of a loop is tied to an argument of its body, to an operand of the terminator there, and
to a result; an argument of a function to an operand of each call; an argument of a block to what
branches pass for it. Where a dialect writes such positions differs, what it means to drop them does
not: all of a tie go, and a value that is still used needs one of its type that takes its place.

What is tied is found by one function a row of `standard_transformations` (`DropTied`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.affine import map_of
from reducer.ir.attribute_tree import items_of, without_items
from reducer.transformations.base import Site
from reducer.transformations.dead import newly_dead_ops


class Role(Enum):
    """What there can be at a position."""

    OPERAND = auto()
    RESULT = auto()
    ARGUMENT = auto()  # of a block
    ITEM = auto()  # of a list, or a result of a map, which has a name
    INPUT = auto()  # of a map, which has a name
    REGION = auto()
    BLOCKS = auto()  # of a region, which stays
    TARGET = auto()  # of a branch
    OP = auto()


class Position(NamedTuple):
    """A place in an op; for an argument, `owner` is a block."""

    role: Role
    owner: int
    number: int = 0
    name: str = ""


def operands(module: Module, op: int) -> list[Position]:
    """The positions of an op's operands."""
    return [Position(Role.OPERAND, op, n) for n in range(len(module.t.operands[op]))]


def results(module: Module, op: int) -> list[Position]:
    """The positions of an op's results."""
    return [Position(Role.RESULT, op, n) for n in range(module.t.num_results[op])]


def arguments(module: Module, block: int) -> list[Position]:
    """The positions of a block's arguments."""
    return [Position(Role.ARGUMENT, block, n) for n in range(module.t.block_num_args[block])]


def value_at(module: Module, position: Position) -> int:
    """The value at a position; NONE if there is none, or if it is not declared."""
    match position.role:
        case Role.OPERAND:
            return module.t.operands[position.owner][position.number]
        case Role.RESULT:
            return module.t.first_result[position.owner] + position.number
        case Role.ARGUMENT:
            return module.t.block_first_arg[position.owner] + position.number
        case _:
            return NONE


@dataclass(frozen=True, slots=True)
class Tie:
    """What goes together at a site.

    Attributes:
        stand_ins: for each value that goes, others of its type that are visible where it is used.
        with_makers: whether ops in the site's op go that only make operands of the tie.
    """

    site: Site
    positions: tuple[Position, ...]
    stand_ins: Mapping[int, Sequence[int]] = field(default_factory=dict)
    with_makers: bool = False

    def values(self, module: Module) -> list[int]:
        """The values that are no longer defined."""
        defining = (Role.RESULT, Role.ARGUMENT)
        return [value_at(module, at) for at in self.positions if at.role in defining]

    @property
    def lost_uses(self) -> set[tuple[int, int]]:
        """The uses of values that the tie consists of."""
        return {(at.owner, at.number) for at in self.positions if at.role is Role.OPERAND}

    def removed(self, module: Module) -> set[int]:
        """The ops that go."""
        gone = {at.owner for at in self.positions if at.role is Role.OP}
        for role, op, number, _ in self.positions:
            if role in (Role.REGION, Role.BLOCKS):
                blocks = module.t.region_blocks[module.t.regions[op][number]]
                gone.update(inner for block in blocks for inner in module.t.block_ops[block])
        if self.with_makers:
            gone |= newly_dead_ops(module, self.lost_uses, self.site.op)
        return {inner for op in gone for inner in module.subtree(op)}

    def used(self, module: Module) -> list[int]:
        """The values that go but are used by what stays."""
        values = [value for value in self.values(module) if module.uses[value]]
        if not values:
            return []
        lost, removed = self.lost_uses, self.removed(module)
        return [
            value
            for value in values
            if any(use not in lost and use[0] not in removed for use in module.uses[value])
        ]


Find = Callable[[Module], Sequence[Tie]]
"""Finds all ties of a kind in a module."""
Fits = Callable[[Module, int, set[int]], bool]
"""Whether the sites of an op with these numbers can be dropped together."""


class DropTied:
    """Drops what is tied at a site, if all that is used elsewhere has a stand-in."""

    def __init__(
        self,
        name: str,
        ties: Find,
        *,
        all_at_once: bool = False,
        fits: Fits = lambda module, op, numbers: True,
    ) -> None:
        self.name = name
        self.all_at_once = all_at_once
        self._ties, self._fits = ties, fits

    def sites(self, module: Module) -> list[Site]:
        return [
            tie.site
            for tie in module.derived(self._ties)
            if _Dropping(module).add(tie) and self._fits(module, tie.site.op, {tie.site.number})
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        chosen = set(sites)
        ties = [tie for tie in module.derived(self._ties) if tie.site in chosen]
        dropping, numbers = _Dropping(module), dict[int, set[int]]()
        for tie in ties:
            together = numbers.get(tie.site.op, set()) | {tie.site.number}
            if self._fits(module, tie.site.op, together) and dropping.add(tie):
                numbers[tie.site.op] = together
        return dropping.render() if dropping.ties else None


class _Dropping:
    """Ties that go together, and what takes the place of their values."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.ties: list[Tie] = []
        self._positions: set[Position] = set()
        self._gone: set[int] = set()
        self._stand_ins: dict[int, int] = {}
        self._taking_place: set[int] = set()

    def add(self, tie: Tie) -> bool:
        """Add a tie unless all of it goes, or nothing can take the place of one of its values."""
        gone = set(tie.values(self.module))
        if self._positions.issuperset(tie.positions):
            return False
        chosen: dict[int, int] = {}
        for value in (*tie.used(self.module), *gone & self._taking_place):
            others = (self._last(other) for other in tie.stand_ins.get(value, ()))
            other = next((v for v in others if v not in self._gone and v not in gone), None)
            if other is None:
                return False
            chosen[value] = other
        self.ties.append(tie)
        self._positions.update(tie.positions)
        self._gone |= gone
        self._stand_ins |= chosen
        self._taking_place -= gone
        self._taking_place.update(chosen.values())
        return True

    def _last(self, value: int) -> int:
        """What takes the place of a value in the end; the value itself if that stays."""
        while value in self._stand_ins:
            value = self._stand_ins[value]
        return value

    def render(self) -> str:
        rewrite, named = Rewrite(self.module), dict[tuple[int, str], set[tuple[Role, int]]]()
        for value in self._stand_ins:
            rewrite.put_in_place(value, self._last(value))
        for role, owner, number, name in (at for tie in self.ties for at in tie.positions):
            match role:
                case Role.OPERAND:
                    rewrite.drop_operand(owner, number)
                case Role.RESULT:
                    rewrite.drop_result(owner, number)
                case Role.ARGUMENT:
                    rewrite.drop_block_argument(owner, number)
                case Role.REGION:
                    rewrite.drop_region(owner, number)
                case Role.BLOCKS:
                    rewrite.empty_region(owner, number)
                case Role.TARGET:
                    rewrite.drop_successor(owner, number)
                case Role.OP:
                    rewrite.remove(owner)
                case Role.ITEM | Role.INPUT:
                    named.setdefault((owner, name), set()).add((role, number))
        positions = (at for tie in self.ties for at in tie.positions)
        need_lists = {at.owner for at in positions if at.role is Role.REGION}
        for (op, name), gone in named.items():
            entry = self.module.syntax(op).entry(name)
            left = _without(self.module, entry.value, gone) if entry else "[]"
            is_needed = items_of(left) != [] or op in need_lists
            rewrite.set_entry(op, name, left if is_needed else None)
        for op, uses in self._lost_uses().items():
            for dead in newly_dead_ops(self.module, uses, op):
                rewrite.remove(dead)
        return rewrite.render()

    def _lost_uses(self) -> dict[int, set[tuple[int, int]]]:
        """The uses whose makers go with them, by the op in which they are."""
        lost: dict[int, set[tuple[int, int]]] = {}
        for tie in self.ties:
            if tie.with_makers:
                lost.setdefault(tie.site.op, set()).update(tie.lost_uses)
        return lost


def _without(module: Module, value: str, gone: set[tuple[Role, int]]) -> str:
    """A list without some items, or a map without some results and inputs."""
    items, inputs = ({n for role, n in gone if role is which} for which in (Role.ITEM, Role.INPUT))
    if affine := map_of(module, value):
        return affine.without_results(items).without_inputs(inputs).text
    return without_items(value, items)


def of_type(module: Module, value: int, others: Iterable[int]) -> list[int]:
    """Those of some values that have the type of a value, which is none of them."""
    kind = module.type_of(value)
    return [v for v in others if v not in (NONE, value) and module.type_of(v) == kind]
