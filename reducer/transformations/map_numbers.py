"""Shrink the integers in affine maps and sets: bounds of loops, factors, offsets."""

import re
from collections.abc import Iterator, Mapping

from reducer.ir import Module
from reducer.ir.affine import affine_spans
from reducer.ir.rewrite import edited
from reducer.transformations.simple_numbers import Integers

_NUMBER = re.compile(r"(?<![\w.#%@])\d+(?![\w.])")


class ShrinkMapNumbers:
    """Finds for each integer in an affine map or set the smallest one that keeps the failure.

    A map with a name is one place, however many ops use it.
    """

    name = "shrink numbers in maps"

    def of(self, module: Module) -> "MapNumbers":
        return MapNumbers(module)


class MapNumbers(Integers):
    """The integers above 1 in the affine maps and sets of a module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        found = [(span, int(module.text[slice(*span)])) for span in _numbers(module)]
        self._spans = [span for span, number in found if number > 1]
        self.values = dict(enumerate(number for _, number in found if number > 1))

    def texts(self, values: Mapping[int, int]) -> list[str]:
        spans = enumerate(self._spans)
        edits = [(*span, str(values.get(n, self.values[n]))) for n, span in spans]
        return [edited(self._module, edits)]


def _numbers(module: Module) -> Iterator[tuple[int, int]]:
    for start, end in affine_spans(module.text):
        arrow = max(module.text.find("->", start, end), module.text.find(":", start, end), start)
        for match in _NUMBER.finditer(module.text, arrow, end):
            yield match.span()
