"""Drop results of affine maps, constraints of affine sets, and terms of both."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import Module
from reducer.ir.affine import affine_spans, terms
from reducer.ir.lexer import split_commas
from reducer.ir.rewrite import edited
from reducer.ir.syntax import Edit
from reducer.transformations.base import Site

_HEAD = re.compile(r"affine_(?:map|set)<\([^()]*\)(?:\[[^\]]*\])?\s*(?:->|:)\s*\(")
_DIM = re.compile(r"d\d+")
_RELATION = re.compile(r" (?:>=|==|<=) .*$")


class SimplifyMaps:
    """Drops a result of a map or a constraint of a set, or a summand of one of them.

    Which maps may have fewer results is known to the verifier: that of `affine.min` or of the bound
    of a loop may, an indexing map may not. The number of a site counts all such edits in the text.
    """

    name = "simplify maps"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [Site(0, number) for number in range(len(_edits(module)))]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        edits = _edits(module)
        last = sorted((site.number for site in sites), reverse=True)  # of several in a map
        return edited(module, [edits[number] for number in last]) if sites else None


def _edits(module: Module) -> list[Edit]:
    return module.derived(_collect)


def _collect(module: Module) -> list[Edit]:
    """All edits, in text order; those of a map change the whole list of its results."""
    out: list[Edit] = []
    for start, end in affine_spans(module.text):
        head = _HEAD.match(module.text, start, end)
        if head is not None and module.text[end - 2 : end] == ")>":
            inside = (head.end(), end - 2)
            parts = split_commas(module.text[slice(*inside)])
            if not all(_DIM.fullmatch(part) for part in parts):  # else most likely an indexing map
                out += [(*inside, text) for text in _shorter(parts)]
    return out


def _shorter(parts: Sequence[str]) -> Iterator[str]:
    """The list with one summand less, then with one part less (tried first)."""
    for place, part in enumerate(parts):
        relation = _RELATION.search(part)
        expression = part[: relation.start()] if relation else part
        for shorter in _without_summand(expression):
            new = shorter + (relation[0] if relation else "")
            yield ", ".join([*parts[:place], new, *parts[place + 1 :]])
    if len(parts) > 1:
        for place in range(len(parts)):
            yield ", ".join([*parts[:place], *parts[place + 1 :]])


def _without_summand(expression: str) -> Iterator[str]:
    """The expression without each of the terms of its outermost sum."""
    found = terms(expression)
    for place in range(len(found) if len(found) > 1 else 0):
        left = "".join([*found[:place], *found[place + 1 :]])
        if left.startswith(" + "):
            yield left[len(" + ") :]
        elif left.startswith(" - "):
            yield "-" + left[len(" - ") :]
        else:
            yield left
