"""Shapes and element types in the text of a type.

`tensor<2x?xf32>`, `memref<4xi8, #space>`, `!torch.vtensor<[2,?],f32>` and types that wrap one of
them (`!flow.dispatch.tensor<readonly:tensor<4xf32>>`) are all treated as one shape, one element
type, and surrounding text. This is purely textual; types are not interpreted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reducer.ir.lexer import brackets_at

Dims = tuple[int | None, ...]
"""The sizes of a shape; None for dynamic sizes."""

_HEAD = re.compile(
    r"\b(?:(tensor|vector|memref)<(?!\w+:)((?:(?:\d+|\?)x)*)|(v?tensor)<\[([\d?, ]*)\](?:,|$))"
)
_WORD = re.compile(r"\w+(?=[,>])")
_KIND = re.compile(r"\w+<\[?$")


@dataclass(frozen=True, slots=True)
class Shaped:
    """The single shape in a type. The `with_…` methods return a modified copy."""

    dims: Dims
    element: str
    _before: str
    _between: str  # between dims and element: empty, or the end of a bracketed list
    _after: str

    @property
    def is_listed(self) -> bool:
        """Whether the dims are a bracketed list, as in torch, where no verifier checks shapes."""
        return bool(self._between)

    @property
    def text(self) -> str:
        """The whole type."""
        names = ["?" if size is None else str(size) for size in self.dims]
        if self._between:
            return f"{self._before}{','.join(names)}{self._between}{self.element}{self._after}"
        return f"{self._before}{''.join(f'{n}x' for n in names)}{self.element}{self._after}"

    @property
    def core(self) -> str:
        """The shaped type up to its element type, without surrounding types.

        >>> parse_shaped("!flow.dispatch.tensor<readonly:tensor<2x?xf32>>").core
        'tensor<2x?xf32'
        """
        kind = _KIND.search(self._before)
        return self.text[kind.start() if kind else 0 : len(self.text) - len(self._after)]

    @property
    def suffix(self) -> str:
        """What follows the element type: `, #encoding>`, and what closes surrounding types."""
        return self._after

    def with_suffix(self, suffix: str) -> "Shaped":
        return replace(self, _after=suffix)

    def with_dims(self, dims: Sequence[int | None]) -> "Shaped":
        return replace(self, dims=tuple(dims))

    def with_element(self, element: str) -> "Shaped":
        return replace(self, element=element)


def parse_shaped(kind: str) -> Shaped | None:
    """The shape in a type; None if there is none or more than one."""
    heads = list(_HEAD.finditer(kind))
    if len(heads) != 1:
        return None
    head = heads[0]
    end = _element_end(kind, head)
    element = kind[head.end() : end]
    if not element or element.startswith(("*", "[")):
        return None
    if head.group(1):
        before, between = kind[: head.start(2)], ""
        sizes = [size for size in head.group(2).split("x") if size]
    else:
        before, between = kind[: head.start(4)], kind[head.end(4) : head.end()]
        sizes = [size.strip() for size in head.group(4).split(",") if size.strip()]
    dims = tuple(None if size == "?" else int(size) for size in sizes)
    return Shaped(dims, element, before, between, kind[end:])


def _element_end(kind: str, head: re.Match[str]) -> int:
    """The end of the element type: a comma, or the closing bracket of the enclosing type."""
    if (word := _WORD.match(kind, head.end())) is not None:
        return word.end()
    around = brackets_at(kind, kind.index("<", head.start()))
    if around is None:
        return len(kind)
    return next((comma for comma in around.commas if comma >= head.end()), around.end)


# ---- complexity of types ---------------------------------------------------------------------

# Both begin with letters, which are found fast, and look back from there: 20 s less in a line of
# 54 MB.
_SHAPES = re.compile(
    r"(?:tensor|vector|memref)"
    r"(?:(?<!\w[a-z]{6})<((?:(?:\d+|\?)x)+)|(?<=tensor)<\[([\d?, ]+)\])"
)
_ODD_ELEMENT = re.compile(
    r"[bfisut](?:(?<![\w.#%@!$\"][a-z])|(?<=[\d?]x[a-z]))"
    r"(?:(?<=b)f16|(?<=f)(?:16|64|80|128|[468]E\w+)|(?<=t)f32"
    r"|(?<=i)(?!1\b|32\b|64\b)\d+|(?<=[su])i(?!32\b|64\b)\d+|(?<=u)i\d+)(?![\w.$])"
)
_DYNAMIC = 1 << 20  # a dynamic size costs more than any static one


def type_cost(text: str) -> tuple[int, int]:
    """The complexity of the types in a text: cost of sizes and ranks, and of element types.

    The first number is the sum of size + 1 over all dims of all shapes; the second is the number of
    element types other than f32, i32, i64 and i1.
    """
    sizes = 0
    for crossed, listed in _SHAPES.findall(text):
        for size in crossed.split("x")[:-1] if crossed else listed.split(","):
            sizes += 1 + (_DYNAMIC if size.strip() == "?" else int(size))
    return sizes, len(_ODD_ELEMENT.findall(text))


_NUMBER = re.compile(r"(?<![\w.#%@!$^])\d{1,9}(?![\w.])")


def number_cost(text: str) -> int:
    """The sum of the integers in a text, except those in names and shapes.

    >>> number_cost("%12 = step = 4 : index, [2, -3], tensor<7x8xf32>, d1 * 2, 1.5")
    11
    """
    return sum(map(int, _NUMBER.findall(text)))
