"""Simplify element types toward those that every target supports: f32, i32, i64."""

import re
from collections.abc import Mapping
from functools import cached_property

from reducer.ir import Module
from reducer.ir.elements import ElementTypes
from reducer.transformations.tuning import Parameters

_FLOAT = re.compile(r"bf16|tf32|f\d+\w*")
_INTEGER = re.compile(r"([su]?)i(\d+)")


class SimplifyElements:
    """Changes the element type of values, together with all values that must share it."""

    name = "simplify element types"

    def of(self, module: Module) -> "Elements":
        return Elements(ElementTypes(module))


class Elements(Parameters[str]):
    """The classes of values that share an element type."""

    def __init__(self, types: ElementTypes) -> None:
        self._types = types

    @cached_property
    def values(self) -> dict[int, str]:
        """The classes that have a simpler element type."""
        found = {number: element for number, (element, _) in enumerate(self._types.classes)}
        return {number: e for number, e in found.items() if self.simpler(number, e)}

    def simpler(self, number: int, value: str) -> list[str]:
        return simpler_elements(value)

    def texts(self, values: Mapping[int, str]) -> list[str]:
        return [self._types.text(values)]


def simpler_elements(element: str) -> list[str]:
    """Element types to try instead, the simplest first; empty for types that are simple already."""
    if element.startswith("complex<"):  # stay complex: real arithmetic takes different paths
        return ["complex<f32>"] if element != "complex<f32>" else []
    if _FLOAT.fullmatch(element):
        return [] if element == "f32" else ["f32"]
    match = _INTEGER.fullmatch(element)
    if match is None or (match.group(2) in ("1", "32", "64") and match.group(1) != "u"):
        return []
    return ["i32", "i64"] if not match.group(1) else ["si64", "i32"]
