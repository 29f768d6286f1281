"""Types and values of attributes, from their text."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache

from reducer.ir.attribute_tree import items_of
from reducer.ir.lexer import unescaped
from reducer.ir.shapes import Dims, parse_shaped
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.values.elements import Element, parse_element

_TORCH = re.compile(r"!torch\.vtensor<\[([\d?,]*)\],(\w+)>$")


@dataclass(frozen=True)
class MlirType:
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
def parse_type(text: str) -> MlirType:
    """The type that a text says.

    Raises:
        Unsupported: its elements are numbers of an unknown format.
    """
    if match := _TORCH.match(text):
        dims = tuple(None if one == "?" else int(one) for one in match[1].split(",") if one)
        return MlirType(text, parse_element(match[2]), dims)
    if text.startswith(("tensor<", "vector<", "memref<")):
        shaped = parse_shaped(text)
        if shaped is None:
            return MlirType(text)
        element = shaped.element if not shaped.element.startswith("complex<") else _complex(text)
        return MlirType(text, parse_element(element), shaped.dims)
    return MlirType(text, parse_element(text))


def _complex(text: str) -> str:
    start = text.index("complex<")
    return text[start : text.index(">", start) + 1]


DYNAMIC = -(1 << 63)
"""What a list of static sizes has in place of a dynamic one (`ShapedType::kDynamic`)."""

_NUMBER = re.compile(r"-?\d+")
_DENSE = re.compile(r"dense<(.*)> : \w+<((?:\d+x)*)[a-z]\w*>$", re.S)


def integer(text: str) -> int:
    """`3 : i64`, `-1 : i32`, `3`, `true` as a number."""
    head = text.partition(" : ")[0].strip()
    if head in ("true", "false"):
        return int(head == "true")
    return int(head, 0)


def integers(text: str) -> list[int]:
    """`array<i64: 1, 2>`, `[1 : i64, 2 : i64]` or `dense<[1, 2]> : tensor<2xi64>` as numbers.

    Raises:
        Unsupported: the text is none of these.
    """
    if (items := items_of(text.strip())) is not None:
        return [integer(item) for item in items]
    if match := _DENSE.match(text.strip()):
        values = [int(one) for one in _NUMBER.findall(match[1])]
        count = 1
        for size in filter(None, match[2].split("x")):
            count *= int(size)
        return values * count if len(values) == 1 else values
    raise Unsupported([f"attribute {text[:60]}"])


def nested_integers(text: str) -> list[list[int]]:
    """`[[0 : i64, 1 : i64], [2]]` as lists of numbers."""
    found: list[list[int]] = json.loads(re.sub(r" : \w+", "", text))
    return found


def string(text: str) -> str:
    """The value of a string attribute."""
    return unescaped(text.strip().removeprefix('"').removesuffix('"'))


def words(text: str) -> frozenset[str]:
    """The words of a set of flags, such as `#arith.fastmath<nnan,ninf>`."""
    inner = text.partition("<")[2].rpartition(">")[0]
    return frozenset(word.strip() for word in re.split(r"[,|]", inner))
