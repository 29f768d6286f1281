"""Replace constant data by splats."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.lexer import STRING
from reducer.ir.syntax import Span
from reducer.transformations.base import Site

_DATA = re.compile(rf'dense<(?:"0x[0-9A-Fa-f]*"|\[[^<>]*\])>|dense_resource<(?:{STRING}|[^<>"]*)>')
_TYPE = re.compile(
    r"(?:(?: : )?(?:tensor|vector|memref)<(?:[\d?]+x)*)([a-z]\w*|complex<[a-z]\w*>)[,>]"
)
_CHOICES = 2  # ones, zeros


class SplatConstants:
    """Replaces lists, blobs and resources by zeros or, if that fails, by ones.

    This works anywhere in an attribute, of any dialect.
    """

    name = "make constants splats"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        # The search tries later sites first: zeros.
        return choice_sites([len(list(literals(module, op))) for op in range(len(module))])

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for (op, number), choice in choices_of(sites).items():
            (start, end), element = list(literals(module, op))[number]
            rewrite.replace(start, end, f"dense<{_splat(element, choice)}>")
        return rewrite.render()


def choice_sites(places: Sequence[int]) -> list[Site]:
    """Sites for the two simple values at each place; `places` counts the places in each op."""
    return [
        Site(op, number * _CHOICES + choice)
        for op, count in enumerate(places)
        for number in range(count)
        for choice in range(_CHOICES)
    ]


def choices_of(sites: Sequence[Site]) -> dict[tuple[int, int], int]:
    """The choice for each place, an op and a number in it; of several the last, tried first."""
    chosen: dict[tuple[int, int], int] = {}
    for site in sites:
        number, choice = divmod(site.number, _CHOICES)
        chosen[site.op, number] = max(choice, chosen.get((site.op, number), 0))
    return chosen


def is_integer(element: str) -> bool:
    """Whether an element type is one of integers."""
    return re.fullmatch(r"[su]?i\d+|index", element) is not None


def literals(module: Module, op: int) -> Iterator[tuple[Span, str]]:
    """The spans of constant data in an op's attributes, with their element types."""
    for start, end in _own_spans(module, op):
        if "dense" not in module.text[start:end]:
            continue
        for match in _DATA.finditer(module.text, start, end):
            kind = _TYPE.match(module.text, match.end())
            if kind:
                yield (match.start(), match.end()), kind.group(1)


def _own_spans(module: Module, op: int) -> Iterator[Span]:
    t = module.t
    yield t.start[op], t.header_end[op]
    if t.tail_start[op] >= 0:
        yield t.tail_start[op], t.end[op]


def _splat(element: str, choice: int) -> str:
    """Zero (choice 1) or one (choice 0) as a literal of the element type."""
    if element.startswith("complex"):
        part = _splat(element[len("complex<") : -1], choice)
        return f"({part}, {_splat(element[len('complex<') : -1], 1)})"
    if element == "i1":
        return "false" if choice else "true"
    digit = "0" if choice else "1"
    return digit if is_integer(element) else f"{digit}.0"
