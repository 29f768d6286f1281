"""Drop named parameters of dialect attributes, and single items of the lists among them."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import Module
from reducer.ir.lexer import Brackets, brackets
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

_NAMED = re.compile(r"\s*\w+ = ")


class DropNestedParameters:
    """Drops `name = value` from `#a.b<…>`, and an item from a list that is such a value.

    Most parameters are optional, or have a default. Those without a name are known by their place,
    so they stay. An attribute that loses all of them is printed without brackets.
    """

    name = "drop parameters"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return item_sites(_places(module))

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        chosen = chosen_items(_places(module), sites)
        return with_edits(module, [_without(module.text, pair, gone) for pair, _, gone in chosen])


def _places(module: Module) -> Iterator[tuple[Place, list[tuple[Brackets, list[Span]]]]]:
    """What has attributes, with the brackets in these and what can be dropped inside them."""
    for place, spans in attribute_spans(module):
        found = [pair for span in spans for pair in brackets(module.text, *span)]
        around = {pair.start: pair for pair in found}
        groups = [(pair, list(_droppable(module.text, pair, around))) for pair in found]
        yield place, [(pair, items) for pair, items in groups if items]


def _droppable(text: str, pair: Brackets, around: dict[int, Brackets]) -> Iterator[Span]:
    if text[pair.start] == "<":
        yield from (item for item in pair.items if _NAMED.match(text, *item))
    elif pair.commas and _is_in_parameter(text, pair, around):  # a single item goes with the list
        yield from pair.items


def _is_in_parameter(text: str, pair: Brackets, around: dict[int, Brackets]) -> bool:
    """Whether a list is the value of a parameter, or nested in one that is."""
    if text[pair.start] != "[" or pair.outer not in around:
        return False
    nested = text[pair.outer] != "<" and _is_in_parameter(text, around[pair.outer], around)
    return nested or is_parameter(text, pair)


def _without(text: str, pair: Brackets, dropped: set[Span]) -> Edit:
    kept = [text[slice(*item)].strip() for item in pair.items if item not in dropped]
    if not kept and text[pair.start] == "<" and text[pair.start - 1].isalnum():
        return (pair.start, pair.end + 1, "")
    return (pair.start + 1, pair.end, ", ".join(kept))
