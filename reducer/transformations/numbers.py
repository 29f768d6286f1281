"""Shrink integers that are not sizes: offsets, strides, factors, constants."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reducer.ir import Module, Rewrite
from reducer.ir.dialects import is_op_set_attribute, is_opaque
from reducer.ir.sizes import SizeSystem
from reducer.ir.sizes.repeats import DYNAMIC, integer_array, integer_of, with_constant, write_array
from reducer.ir.sizes.slots import Element
from reducer.ir.syntax import Entry
from reducer.transformations.properties import ESSENTIAL
from reducer.transformations.simple_numbers import Integers


class ShrinkNumbers:
    """Finds for each integer in an attribute the smallest value that preserves the failure."""

    name = "shrink numbers"

    def of(self, module: Module) -> "Numbers":
        return Numbers(module)


@dataclass(frozen=True)
class _Place:
    """The place of one integer in an attribute, with its index if the attribute is an array."""

    op: int
    entry: Entry
    index: int


class Numbers(Integers):
    """The integers of a module that are not sizes; 0, 1 and -1 are simple enough."""

    def __init__(self, module: Module) -> None:
        self._module = module
        found = [(p, n) for p, n in _numbers(module) if abs(n) > 1 and n != DYNAMIC]
        self._places = [place for place, _ in found]
        self.values = {number: value for number, (_, value) in enumerate(found)}

    def texts(self, values: Mapping[int, int]) -> list[str]:
        after: dict[tuple[int, str], list[int]] = {}
        for number, place in enumerate(self._places):
            if values.get(number, self.values[number]) != self.values[number]:
                numbers = after.setdefault((place.op, place.entry.name), _numbers_of(place.entry))
                numbers[place.index] = values[number]
        rewrite = Rewrite(self._module)
        entries = {(place.op, place.entry.name): place.entry for place in self._places}
        for (op, name), numbers in after.items():
            entry = entries[op, name]
            is_array = integer_array(entry) is not None
            value = (
                write_array(numbers, entry) if is_array else with_constant(entry.value, numbers[0])
            )
            rewrite.set_entry(op, name, value)
        return [rewrite.render()]


def _numbers(module: Module) -> Iterator[tuple[_Place, int]]:
    """All integers in attributes and integer arrays that are not sizes."""
    system = SizeSystem(module)
    sizes = {op for variable in system.variables for op in system.constants(variable)}
    for op in range(len(module)):
        if "{" not in module.own_text(op) or module.hidden[op] or is_opaque(module.t.name[op]):
            continue
        syntax = module.syntax(op)
        for entry in syntax.entries:
            if entry.name == "value" and op in sizes:
                continue
            if is_op_set_attribute(entry.name):
                continue
            if entry.name in ESSENTIAL and entry.name != "value":
                continue
            for index, number in enumerate(_numbers_of(entry)):
                if not system.is_size(Element(op, entry.name, index)):
                    yield _Place(op, entry, index), number


def _numbers_of(entry: Entry) -> list[int]:
    array = integer_array(entry)
    if array is not None:
        return array
    number = integer_of(entry.value)
    return [] if number is None else [number]
