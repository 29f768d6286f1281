"""Drop encodings, layouts and memory spaces from types."""

from collections.abc import Iterator, Sequence

from reducer.ir import Module
from reducer.ir.lexer import Outside
from reducer.ir.rewrite import edited
from reducer.transformations.base import Site

_HEAD = Outside(r"\b(?:tensor|memref)<(?=[\d?*a-z])")


class DropEncodings:
    """Drops what follows the element type in tensor and memref types, wherever they occur.

    Values pass their types on to other ops, so one encoding is dropped everywhere at once:
    `tensor<4xf32, #enc>` becomes `tensor<4xf32>`, whatever the shape.
    """

    name = "drop encodings"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        kinds = dict.fromkeys(module.text[a:b] for a, b in _suffixes(module.text))
        return [Site(0, name=kind) for kind in kinds]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        gone, text = {site.name for site in sites}, module.text
        suffixes = ((a, b) for a, b in _suffixes(text) if text[a:b] in gone)
        return edited(module, [(start - len(", "), end, "") for start, end in suffixes])


def _suffixes(text: str) -> Iterator[tuple[int, int]]:
    """The spans after the element types of shaped types: layouts, memory spaces, encodings."""
    done = 0
    for head, kind in _HEAD.with_brackets(text):
        if kind.commas and head.start() >= done:  # else inside a type that was handled already
            done = kind.end
            ends = (*kind.commas[1:], kind.end)
            yield from zip((comma + 2 for comma in kind.commas), ends, strict=True)
