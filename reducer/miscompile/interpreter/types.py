"""The types of values, parsed from their text."""

import re
from dataclasses import dataclass
from functools import lru_cache

from reducer.ir.shapes import Dims, parse_shaped
from reducer.miscompile.interpreter.elements import Element, parse_element
from reducer.miscompile.interpreter.errors import Unsupported

_TORCH = re.compile(r"!torch\.vtensor<\[([\d?,]*)\],(\w+)>$")


@dataclass(frozen=True)
class ValueType:
    """A number (`dims` is None), or a tensor, a vector or memory; `element` is None for others."""

    text: str
    element: Element | None = None
    dims: Dims | None = None

    @property
    def is_scalar(self) -> bool:
        return self.dims is None and self.element is not None

    @property
    def is_memory(self) -> bool:
        """Whether it is memory, of numbers in a known shape."""
        return self.text.startswith("memref<") and self.dims is not None

    @property
    def number(self) -> Element:
        """The element type.

        Raises:
            Unsupported: the type has none.
        """
        if self.element is None:
            raise Unsupported([f"type {self.text}"])
        return self.element


@lru_cache(maxsize=4096)
def parse_type(text: str) -> ValueType:
    """The type that a text says.

    Raises:
        Unsupported: its elements are numbers of an unknown format.
    """
    if match := _TORCH.match(text):
        dims = tuple(None if one == "?" else int(one) for one in match[1].split(",") if one)
        return ValueType(text, parse_element(match[2]), dims)
    if text.startswith(("tensor<", "vector<", "memref<")):
        shaped = parse_shaped(text)
        if shaped is None:
            return ValueType(text)
        element = shaped.element if not shaped.element.startswith("complex<") else _complex(text)
        return ValueType(text, parse_element(element), shaped.dims)
    return ValueType(text, parse_element(text))


def _complex(text: str) -> str:
    start = text.index("complex<")
    return text[start : text.index(">", start) + 1]
