"""Drop entries of dictionaries, named parameters, and items of lists, deep inside attributes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reducer.ir import NONE, Module
from reducer.ir.attribute_tree import AttributeTree
from reducer.ir.lexer import Brackets
from reducer.ir.rewrite import edited
from reducer.ir.syntax import Edit, Span
from reducer.transformations.attributes import ESSENTIAL, ops_with_attributes
from reducer.transformations.base import Site


@dataclass(frozen=True)
class _Group:
    """Brackets in an attribute that starts there, and which of their items can go together."""

    tree: AttributeTree
    start: int
    node: Brackets
    choices: list[list[Span]]

    def without(self, chosen: set[int]) -> Edit:
        gone = [item for n, items in enumerate(self.choices) if n in chosen for item in items]
        first, last, new = self.tree.without(self.node, gone)
        return self.start + first, self.start + last, new


class _DropNested:
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [site for site, _, _ in self._choices(module)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        wanted = set(sites)
        chosen: dict[tuple[int, int], tuple[_Group, set[int]]] = {}
        for site, group, choice in self._choices(module):
            if site in wanted:
                place = (group.start, group.node.start)
                chosen.setdefault(place, (group, set()))[1].add(choice)
        return edited(module, [group.without(numbers) for group, numbers in chosen.values()])

    def _choices(self, module: Module) -> Iterator[tuple[Site, _Group, int]]:
        """Each choice in an op or the definition of an alias, which are numbered throughout."""
        for (op, name), spans in _attributes(module):
            number = 0
            for start, end in spans:
                tree = AttributeTree(module.text[start:end])
                for node in tree.nodes:
                    group = _Group(tree, start, node, self._droppable(tree, node))
                    for choice in range(len(group.choices)):
                        yield Site(op, number, name), group, choice
                        number += 1

    def _droppable(self, tree: AttributeTree, node: Brackets) -> list[list[Span]]:
        raise NotImplementedError


class DropNestedEntries(_DropNested):
    """Drops a dictionary entry inside an attribute's value, at any depth.

    Lists in dialect attributes are cleared instead.
    """

    name = "drop nested entries"

    def _droppable(self, tree: AttributeTree, node: Brackets) -> list[list[Span]]:
        if not tree.text[node.start + 1 : node.end].strip():
            return []
        if tree.opening(node) == "{":
            return [[item] for item in node.items]
        return [node.items] if tree.opening(node) == "[" and tree.is_parameter(node) else []


class DropNestedParameters(_DropNested):
    """Drops `name = value` from `#a.b<…>`, and an item from a list that is such a value.

    Most parameters are optional, or have a default. Those without a name are known by their place,
    so they stay. An attribute that loses all of them is printed without brackets.
    """

    name = "drop parameters"

    def _droppable(self, tree: AttributeTree, node: Brackets) -> list[list[Span]]:
        if tree.opening(node) == "<":
            return [[item] for item in tree.parameters(node)]
        # A single item goes with the list.
        is_list = node.commas and tree.opening(node) == "["
        return [[i] for i in node.items] if is_list and tree.is_parameter(node, nested=True) else []


def _attributes(module: Module) -> Iterator[tuple[tuple[int, str], list[Span]]]:
    """The spans of the attributes of ops, and definitions of aliases, which name their sites."""
    for alias in module.t.aliases:
        yield (NONE, module.text[alias.start : alias.end]), [(alias.start, alias.end)]
    for op in ops_with_attributes(module):
        entries = module.syntax(op).entries
        yield (op, ""), [entry.value_span for entry in entries if entry.name not in ESSENTIAL]
