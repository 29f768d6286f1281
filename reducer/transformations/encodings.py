"""Drop encodings, layouts and memory spaces from types."""

from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.lexer import Outside, brackets_at
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
        gone = {site.name for site in sites}
        text = module.text
        for start, end in sorted(_suffixes(text), reverse=True):
            if module.text[start:end] in gone:
                text = text[: start - len(", ")] + text[end:]
        return Rewrite(Module.parse(text)).render()


def _suffixes(text: str) -> Iterator[tuple[int, int]]:
    """The spans after the element types of shaped types: layouts, memory spaces, encodings."""
    done = 0
    for head in _HEAD.finditer(text):
        if head.start() < done:
            continue  # inside a type that was handled already
        line_end = text.find("\n", head.end())
        kind = brackets_at(text, head.end() - 1, line_end if line_end >= 0 else None)
        if kind is not None and kind.commas:
            done = kind.end
            ends = (*kind.commas[1:], kind.end)
            yield from zip((comma + 2 for comma in kind.commas), ends, strict=True)
