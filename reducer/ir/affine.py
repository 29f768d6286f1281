"""Affine maps as text: which loop iterates over which dim of an operand."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from reducer.ir.lexer import Outside, split_commas
from reducer.ir.module import Module
from reducer.ir.syntax import split_array

_MAP = re.compile(r"affine_map<\(([^()]*)\)(\[[^\]]*\])? -> \((.*)\)>", re.DOTALL)
_HEAD = Outside(r"\baffine_(?:map|set)<")
_DIM = re.compile(r"\bd(\d+)\b")
_INPUT = re.compile(r"\b[ds]\d+\b")
_TERM = re.compile(r"(?: \+ )?d(\d+)(?: \* \w+)?")
_MARK = re.compile(r"[()]| [+-] ")


@dataclass(frozen=True, slots=True)
class AffineMap:
    """An affine map such as `(d0, d1)[s0] -> (d1, d0 + s0)`, with dims named by the printer."""

    dims: int
    symbols: str
    results: tuple[str, ...]

    @property
    def symbol_names(self) -> list[str]:
        return split_commas(self.symbols.strip("[]"))

    @property
    def text(self) -> str:
        names = ", ".join(f"d{number}" for number in range(self.dims))
        return f"affine_map<({names}){self.symbols} -> ({', '.join(self.results)})>"

    def loop(self, position: int) -> int | None:
        """The dim of a result that is a plain dim, such as `d2`; None for other expressions."""
        match = _DIM.fullmatch(self.results[position])
        return int(match.group(1)) if match else None

    def using(self, dims: Container[int]) -> list[int]:
        """The results that use any of some dims."""
        used = [map(int, _DIM.findall(result)) for result in self.results]
        return [number for number, its in enumerate(used) if any(dim in dims for dim in its)]

    def without_results(self, positions: Container[int]) -> "AffineMap":
        kept = tuple(r for n, r in enumerate(self.results) if n not in positions)
        return AffineMap(self.dims, self.symbols, kept)

    def at_zero(self, dims: Sequence[int]) -> "AffineMap":
        """The map with 0 for some dims, as for loops with one iteration: drops their terms in sums.

        Expressions that are not sums, or have no other terms, stay unchanged.
        """
        return AffineMap(self.dims, self.symbols, tuple(_at_zero(r, dims) for r in self.results))

    @property
    def inputs(self) -> list[str]:
        """The names of its dims and symbols."""
        return [*(f"d{number}" for number in range(self.dims)), *self.symbol_names]

    @property
    def unused(self) -> list[int]:
        """The numbers of the inputs that no result uses."""
        used = {name for result in self.results for name in _INPUT.findall(result)}
        return [number for number, name in enumerate(self.inputs) if name not in used]

    def without_inputs(self, gone: Container[int]) -> "AffineMap":
        """The map without some inputs that no result uses; the others are renumbered."""
        left = [name for number, name in enumerate(self.inputs) if number not in gone]
        dims = sum(number not in gone for number in range(self.dims))
        symbols = [f"s{number}" for number in range(len(left) - dims)]
        names = dict(zip(left, [*(f"d{number}" for number in range(dims)), *symbols], strict=True))
        results = tuple(_INPUT.sub(lambda m: names[m[0]], result) for result in self.results)
        return AffineMap(dims, f"[{', '.join(symbols)}]" if symbols else "", results)


def _at_zero(expression: str, dims: Sequence[int]) -> str:
    kept = [
        term
        for term in terms(expression)
        if (match := _TERM.fullmatch(term)) is None or int(match[1]) not in dims
    ]
    return "".join(kept).removeprefix(" + ") if kept else expression


def terms(expression: str) -> list[str]:
    """The terms of the outermost sum, which follow each other.

    >>> terms("(d0 + d1) floordiv 2 - s0")
    ['(d0 + d1) floordiv 2', ' - s0']
    """
    depth, cuts = 0, [0]
    for match in _MARK.finditer(expression):
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0 and match[0] != ")":
            cuts.append(match.start())
    return [expression[a:b] for a, b in zip(cuts, [*cuts[1:], len(expression)], strict=True)]


def parse_map(text: str) -> AffineMap | None:
    """The affine map of an `affine_map<…>` attribute; None if the text is not one."""
    match = _MAP.fullmatch(text.strip())
    if match is None:
        return None
    dims = [name for name in match.group(1).split(",") if name.strip()]
    return AffineMap(len(dims), match.group(2) or "", tuple(split_commas(match.group(3))))


def map_of(module: Module, value: str) -> AffineMap | None:
    """The affine map that the value of an attribute is, or is an alias of."""
    return parse_map(resolve_alias(module, value))


def indexing_maps(module: Module, op: int) -> list[AffineMap]:
    """The indexing map of each operand of a structured op; empty if they are missing or invalid."""
    entry = module.syntax(op).entry("indexing_maps")
    texts = split_array(entry.value) if entry else None
    if texts is None or len(texts) != len(module.t.operands[op]):
        return []
    maps = [map_of(module, text.strip()) for text in texts]
    return [m for m in maps if m is not None] if all(maps) else []


def resolve_alias(module: Module, text: str) -> str:
    """The definition of a `#name` alias; any other text is returned unchanged."""
    if not text.startswith("#"):
        return text
    for alias in module.t.aliases:
        if alias.name == text:
            return module.text[alias.start : alias.end].partition(" = ")[2].strip()
    return text


def affine_spans(text: str) -> list[tuple[int, int]]:
    """The spans of all affine maps and sets in a text, whether they have a name or not."""
    return [(head.start(), found.end + 1) for head, found in _HEAD.with_brackets(text)]
