"""Drop encodings, layouts and memory spaces from types."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.transformations.base import Site

_HEAD = re.compile(r'"(?:[^"\\]|\\.)*"|\b(?:tensor|memref)<(?=[\d?*a-z])')
_CLOSING = {"{": "}", "[": "]", "(": ")", "<": ">"}


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
        if head.group(0).startswith('"') or head.start() < done:
            continue  # a string, or inside a type that was handled already
        commas, end = _commas(text, head.end())
        done = end if commas else done
        if commas:
            yield from zip((comma + 2 for comma in commas), [*commas[1:], end], strict=True)


def _commas(text: str, start: int) -> tuple[list[int], int]:
    """The commas between the parts of a type, and the position of its closing bracket."""
    closing = [">"]
    commas: list[int] = []
    for at in range(start, len(text)):
        char = text[at]
        if char == ">" and text[at - 1] == "-":
            continue
        if char in _CLOSING:
            closing.append(_CLOSING[char])
        elif char == closing[-1]:
            closing.pop()
            if not closing:
                return commas, at
        elif char == "," and len(closing) == 1:
            commas.append(at)
        elif char == "\n":
            break
    return [], start
