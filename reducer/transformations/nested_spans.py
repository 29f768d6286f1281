"""Spans of text inside attributes, and edits of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import is_opaque
from reducer.ir.lexer import Brackets
from reducer.ir.syntax import Span
from reducer.transformations.base import Site
from reducer.transformations.properties import ESSENTIAL

G = TypeVar("G")  # what has items: brackets, or their inside

Edit = tuple[int, int, str]
"""The start and end of a span, and the text that takes its place."""

Place = tuple[int, str]
"""Where a site is, apart from its number: an op and '', or NONE and the definition of an alias."""


def attribute_spans(module: Module) -> Iterator[tuple[Place, list[Span]]]:
    """Alias definitions and ops, with the spans of their attributes."""
    for alias in module.t.aliases:
        yield (NONE, module.text[alias.start : alias.end]), [(alias.start, alias.end)]
    for op in range(len(module)):
        if "{" not in module.own_text(op) or module.hidden[op] or is_opaque(module.t.name[op]):
            continue
        syntax = module.syntax(op)
        yield (
            (op, ""),
            [entry.value_span for entry in syntax.entries if entry.name not in ESSENTIAL],
        )


def is_parameter(text: str, pair: Brackets) -> bool:
    """Whether brackets are a named parameter of a dialect attribute: `<sizes = [1, 2]>`."""
    in_angles = pair.outer >= 0 and text[pair.outer] == "<"
    return in_angles and text[pair.start - 2 : pair.start] == "= "


def with_edits(module: Module, edits: list[Edit]) -> str | None:
    """The text after the edits, the widest winning if they overlap; drops aliases then unused."""
    text, left = module.text, len(module.text)
    parts: list[str] = []  # from the last to the first
    for start, end, new in sorted(edits, key=lambda edit: (-edit[1], edit[0])):
        if end <= left:
            parts += (text[end:left], new)
            left = start
    edited = "".join((text[:left], *reversed(parts)))
    return Rewrite(Module.parse(edited)).render() if edits else None


def item_sites(places: Iterable[tuple[Place, list[tuple[G, list[Span]]]]]) -> list[Site]:
    """A site for each item of the groups at a place, numbered throughout."""
    return [
        Site(op, number, name)
        for (op, name), groups in places
        for number in range(sum(len(items) for _, items in groups))
    ]


def chosen_items(
    places: Iterable[tuple[Place, list[tuple[G, list[Span]]]]], sites: Sequence[Site]
) -> Iterator[tuple[G, list[Span], set[Span]]]:
    """The groups of which some items are at these sites, with all their items and with those."""
    numbers: dict[Place, set[int]] = {}
    for site in sites:
        numbers.setdefault((site.op, site.name), set()).add(site.number)
    for place, groups in places:
        chosen, number = numbers.get(place, ()), 0
        for group, items in groups:
            found = {item for n, item in enumerate(items, number) if n in chosen}
            number += len(items)
            if found:
                yield group, items, found
