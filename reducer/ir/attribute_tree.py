"""The tree of an attribute's text: lists, dictionaries and parameters at any depth, with spans.

tree-sitter says where the attributes of an op are (`syntax.py`), but the inside of a dialect
attribute is a flat row of tokens to it. So the tree is made of brackets and commas, alike for the
attributes and types of all dialects.
"""

import re
from collections.abc import Container, Iterable

from reducer.ir.lexer import Brackets, brackets, split_commas
from reducer.ir.syntax import Edit, Span, split_array

_PARAMETER = re.compile(r"\s*\w+ = ")
_NAMED = re.compile(r"\w[<{]")


class AttributeTree:
    """The brackets of an attribute; the items between their commas are entries, elements, values.

    >>> tree = AttributeTree("#a.b<c = [1, 2], {d}>")
    >>> [(tree.opening(node), tree.is_parameter(node)) for node in tree.nodes]
    [('[', True), ('{', False), ('<', False)]
    >>> tree.without(tree.nodes[0], [tree.nodes[0].items[0]])
    (10, 14, '2')
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.nodes = list(brackets(text))
        """Inner ones before those around them."""
        self._at = {node.start: node for node in self.nodes}

    def opening(self, node: Brackets) -> str:
        return self.text[node.start]

    def parameters(self, node: Brackets) -> list[Span]:
        """The items `name = value`; others are known by their place."""
        return [item for item in node.items if _PARAMETER.match(self.text, *item)]

    def is_parameter(self, node: Brackets, *, nested: bool = False) -> bool:
        """Whether brackets are a named parameter of a dialect attribute: `<sizes = [1, 2]>`.

        Args:
            nested: or a list inside a list that is one.
        """
        outer = self._at.get(node.outer)
        if outer is None:
            return False
        if self.opening(outer) == "<":
            return self.text[node.start - 2 : node.start] == "= "
        both_lists = self.opening(node) == self.opening(outer) == "["
        return nested and both_lists and self.is_parameter(outer, nested=True)

    def without(self, node: Brackets, dropped: Container[Span]) -> Edit:
        """An edit that drops items; a name in front of brackets stays without them if all go."""
        kept = [self.text[slice(*item)].lstrip() for item in node.items if item not in dropped]
        if not kept and _NAMED.match(self.text, max(node.start - 1, 0)):
            return node.start, node.end + 1, ""
        return node.start + 1, node.end, ", ".join(kept)


_ARRAY = re.compile(r"(array<\w+)(?:: (.*))?>", re.S)
_VECTOR = re.compile(
    r"dense<(?:\[(?P<items>[^][]*)\]|(?P<splat>[^][\"<>]+))> : "
    r"(?P<kind>\w+)<(?P<count>\d+)x(?P<of>[a-z]\w*)>"
)


def items_of(value: str) -> list[str] | None:
    """The items of an array, a list or a vector; None if the attribute is none.

    >>> items_of("array<i32: 0, 1>"), items_of("[@a]"), items_of("dense<1> : vector<2xi32>")
    (['0', '1'], ['@a'], ['1', '1'])
    """
    if match := _ARRAY.fullmatch(value):
        return split_commas(match[2] or "")
    if match := _VECTOR.fullmatch(value):
        splat = [match["splat"]] * int(match["count"])
        return split_commas(match["items"]) if match["items"] else splat
    return split_array(value)


def with_items(value: str, items: Iterable[str]) -> str:
    """An array, a list or a vector with other items.

    >>> with_items("array<i32: 5>", []), with_items("dense<[4, 5]> : vector<2xi32>", ["5"])
    ('array<i32>', 'dense<[5]> : vector<1xi32>')
    """
    shown = list(items)
    text = ", ".join(shown)
    if match := _VECTOR.fullmatch(value):
        data = match["splat"] if set(shown) == {match["splat"]} else f"[{text}]"
        return f"dense<{data}> : {match['kind']}<{len(shown)}x{match['of']}>"
    if match := _ARRAY.fullmatch(value):
        return f"{match[1]}: {text}>" if text else f"{match[1]}>"
    return f"[{text}]"


def without_items(value: str, places: Container[int]) -> str:
    """An array, a list or a vector without the items at some places."""
    return with_items(value, (i for n, i in enumerate(items_of(value) or ()) if n not in places))
