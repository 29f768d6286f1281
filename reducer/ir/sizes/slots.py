"""Slots: the places in a module that hold a size, which must hold the same one, and new sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from reducer.ir.module import NONE, Module
from reducer.ir.shapes import Shaped, parse_shaped
from reducer.ir.sizes.declared import Declaration
from reducer.ir.union_find import UnionFind

_LIST = re.compile(r"\blist<.*tensor")


@dataclass(frozen=True, slots=True, order=True)
class Dim:
    """A dim of a value's type."""

    value: int
    number: int


@dataclass(frozen=True, slots=True, order=True)
class Loop:
    """An iteration dim of a structured op."""

    op: int
    number: int


@dataclass(frozen=True, slots=True, order=True)
class ArrayItem:
    """A number in an integer array attribute of an op."""

    op: int
    name: str
    number: int


Slot = Dim | Loop | ArrayItem


@dataclass(frozen=True)
class Product:
    """A size that is the product of others, as for a collapsed dim."""

    whole: Slot
    parts: tuple[Slot, ...]


@dataclass(frozen=True)
class Sum:
    """A size that is the sum of another and of numbers in arrays, as for a padded dim."""

    whole: Slot
    part: Slot
    added: tuple[ArrayItem, ...]
    numbers: tuple[int, ...]


@dataclass
class Ties:
    """Constraints on the sizes of a module, as implied by its ops. Filled by `collect`."""

    module: Module
    equal: UnionFind[Slot] = field(default_factory=UnionFind)
    products: list[Product] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    _shapes: dict[int, Shaped | None] = field(default_factory=dict)

    def shape(self, value: int) -> Shaped | None:
        """The shape of a value; None if its type has none."""
        if value not in self._shapes:
            self._shapes[value] = parse_shaped(self.module.type_of(value))
        return self._shapes[value]

    def shaped(self, values: Iterable[int]) -> list[tuple[int, Shaped]]:
        """The values that have a shape, in order, without repeats."""
        pairs = ((value, self.shape(value)) for value in dict.fromkeys(values))
        return [(value, shape) for value, shape in pairs if shape is not None]

    def operands(self, op: int) -> list[int]:
        """The operands of an op, with lists of shaped values replaced by their elements."""
        t = self.module.t
        out: list[int] = []
        for value in t.operands[op]:
            maker = t.def_op[value] if value != NONE else NONE
            if maker != NONE and _LIST.search(self.module.type_of(value)):
                out += t.operands[maker]
            else:
                out.append(value)
        return [value for value in out if value != NONE]

    def tie(self, one: Slot, other: Slot) -> None:
        self.equal.union(one, other)

    def are_tied(self, one: Slot, other: Slot) -> bool:
        return bool(self.equal[one] == self.equal[other])

    def tie_alike(self, this: int, other: int) -> None:
        """Tie those dims of two values of equal rank that have the same size."""
        left, right = self.shape(this), self.shape(other)
        if left is not None and right is not None and len(left.dims) == len(right.dims):
            for number, (a, b) in enumerate(zip(left.dims, right.dims, strict=True)):
                if a == b:
                    self.tie(Dim(this, number), Dim(other, number))


class Dropped(Enum):
    DROPPED = "gone"


DROPPED = Dropped.DROPPED
"""Used in place of a size: the dim is dropped."""

Size = int | None | Dropped


@dataclass(frozen=True)
class NewSizes:
    """New sizes for some of the slots of a module."""

    ties: Ties
    of: Mapping[Slot, Size]

    def dims(self, value: int) -> list[Size]:
        """The sizes of a value after the change, with DROPPED for dropped dims."""
        shape = self.ties.shape(value)
        assert shape is not None
        return [self.of.get(Dim(value, n), size) for n, size in enumerate(shape.dims)]
