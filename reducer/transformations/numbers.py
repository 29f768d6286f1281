"""Shrink integers that are not sizes: offsets, strides, factors, constants, bounds of loops."""

import re
from collections.abc import Iterable, Iterator, Mapping

from reducer.ir import Module
from reducer.ir.affine import affine_spans
from reducer.ir.dialects import is_op_set_attribute
from reducer.ir.rewrite import edited
from reducer.ir.sizes import SizeSystem
from reducer.ir.sizes.repeats import DYNAMIC, integer_array, integer_of
from reducer.ir.sizes.slots import ArrayItem
from reducer.ir.syntax import Span
from reducer.transformations.attributes import ESSENTIAL, ops_with_attributes

_NUMBER = re.compile(r"(?<![\w.#%@])-?\d+(?![\w.])")
_MAP_NUMBER = re.compile(r"(?<![\w.#%@])\d+(?![\w.])")


class ShrinkNumbers:
    """Finds for each integer in an attribute the smallest value that preserves the failure."""

    name = "shrink numbers"

    def of(self, module: Module) -> "Numbers":
        return Numbers(module, _attribute_numbers(module))


class ShrinkMapNumbers:
    """Finds for each integer in an affine map or set the smallest one that keeps the failure.

    A map with a name is one place, however many ops use it.
    """

    name = "shrink numbers in maps"

    def of(self, module: Module) -> "Numbers":
        return Numbers(module, _map_numbers(module))


class Numbers:
    """Integers in a module, each tuned by itself; 0, 1 and -1 are simple enough."""

    def __init__(self, module: Module, spans: Iterable[Span]) -> None:
        self._module = module
        found = [(span, int(module.text[slice(*span)])) for span in spans]
        found = [(span, number) for span, number in found if abs(number) > 1 and number != DYNAMIC]
        self._spans = [span for span, _ in found]
        self.values = dict(enumerate(number for _, number in found))

    def simpler(self, number: int, value: int) -> list[int]:
        return simpler_numbers(value)

    def next_down(self, value: int) -> int | None:
        if abs(value) < 2:
            return None
        return value - 1 if value > 0 else value + 1

    def between(self, simple: int, value: int) -> int | None:
        return (simple + value) // 2 if abs(value - simple) > 1 else None

    def around(self, number: int, values: Mapping[int, int]) -> str:
        return ""

    def texts(self, values: Mapping[int, int]) -> list[str]:
        changed = {n: new for n, new in values.items() if new != self.values[n]}
        return [edited(self._module, [(*self._spans[n], str(new)) for n, new in changed.items()])]


def simpler_numbers(value: int) -> list[int]:
    """1, then 0, 2 and the powers of four below the value, with its sign.

    1 comes first because a program in which 0 fails too is hardly ever simpler, but often makes no
    sense: a step, stride, factor or tile size of 0.

    >>> simpler_numbers(6), simpler_numbers(-3), simpler_numbers(1)
    ([1, 0, 2, 4], [-1, 0, -2], [])
    """
    if abs(value) < 2:
        return []
    sign = 1 if value > 0 else -1
    steps = (1, 0, 2, *(4**n for n in range(1, 32)))
    return [sign * step for step in steps if step < abs(value)]


def _attribute_numbers(module: Module) -> Iterator[Span]:
    """All integers in attributes and integer arrays that are not sizes."""
    system = SizeSystem(module)
    sizes = {op for variable in system.variables for op in system.constants(variable)}
    for op in ops_with_attributes(module):
        for entry in module.syntax(op).entries:
            is_value = entry.name == "value" and op not in sizes
            if (entry.name in ESSENTIAL and not is_value) or is_op_set_attribute(entry.name):
                continue
            if integer_array(entry) is None and integer_of(entry.value) is None:
                continue
            for index, match in enumerate(_NUMBER.finditer(module.text, *entry.value_span)):
                if not system.is_size(ArrayItem(op, entry.name, index)):
                    yield match.span()


def _map_numbers(module: Module) -> Iterator[Span]:
    for start, end in affine_spans(module.text):
        arrow = max(module.text.find("->", start, end), module.text.find(":", start, end), start)
        for match in _MAP_NUMBER.finditer(module.text, arrow, end):
            yield match.span()
