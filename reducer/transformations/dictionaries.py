"""Drop dictionary entries and clear lists inside attributes, such as target descriptions."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import Module
from reducer.ir.lexer import brackets
from reducer.ir.syntax import Span
from reducer.transformations.base import Site
from reducer.transformations.nested_spans import (
    Edit,
    Place,
    attribute_spans,
    chosen_items,
    is_parameter,
    item_sites,
    with_edits,
)

_NAMED = re.compile(r"\w\{")


class DropNestedEntries:
    """Drops a dictionary entry inside an attribute's value, at any depth.

    Lists in dialect attributes are cleared instead.
    """

    name = "drop nested entries"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return item_sites(_places(module))

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        edits: list[Edit] = []
        for (left, right), entries, gone in chosen_items(_places(module), sites):
            kept = [entry for entry in entries if entry not in gone]
            texts = (module.text[first:last].lstrip() for first, last in kept)
            if not kept and _NAMED.match(module.text, left - 2):
                edits.append((left - 1, right + 1, ""))  # a type is `T` without members
            else:
                edits.append((left, right, ", ".join(texts)))
        return with_edits(module, edits)


_Entries = tuple[Span, list[Span]]
"""The inside of a pair of brackets, and its entries. A list counts as a single entry."""


def _places(module: Module) -> Iterator[tuple[Place, list[_Entries]]]:
    for place, spans in attribute_spans(module):
        yield place, [group for span in spans for group in _groups(module.text, *span)]


def _groups(text: str, start: int, end: int) -> list[_Entries]:
    """All `{…}` in a span, and each `[…]` inside the angle brackets of a dialect attribute."""
    out: list[_Entries] = []
    for group in brackets(text, start, end):
        inside = (group.start + 1, group.end)
        if not text[slice(*inside)].strip():
            continue
        if text[group.start] == "{":
            out.append((inside, group.items))
        elif text[group.start] == "[" and is_parameter(text, group):
            out.append((inside, [inside]))
    return out
