"""Simplify single elements of constant data that cannot become a splat."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.syntax import Span
from reducer.transformations.base import Site
from reducer.transformations.splats import choice_sites, choices_of, is_integer, literals

_MANY = 64  # elements; a longer list is too much to look at one by one
_NUMBER = re.compile(r"(?<![\w.])-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)")
_SIMPLE = re.compile(r"-?[01](?:\.0*)?(?:[eE]\+?0+)?")


class SimplifyData:
    """Makes elements of `dense<[…]>` one or, if that fails, zero. Works in any attribute."""

    name = "simplify data"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        # The search tries later sites first: ones.
        return choice_sites([len(list(_elements(module, op))) for op in range(len(module))])

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for (op, number), choice in choices_of(sites).items():
            span, of_integers = list(_elements(module, op))[number]
            rewrite.replace(*span, f"{choice}" if of_integers else f"{choice}.0")
        return rewrite.render()


def _elements(module: Module, op: int) -> Iterator[tuple[Span, bool]]:
    """The spans of the elements that are not simple, and whether they are integers."""
    for (start, end), element in literals(module, op):
        if not module.text.startswith("dense<[", start):
            continue
        found = list(_NUMBER.finditer(module.text, start, end))
        if len(found) > _MANY:
            continue
        of_integers = is_integer(element)
        yield from ((m.span(), of_integers) for m in found if not _SIMPLE.fullmatch(m[0]))
