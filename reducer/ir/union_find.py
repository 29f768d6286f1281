"""Disjoint sets with union by size and path compression.

networkx has the same, but importing it would add a fifth to the start-up time of most commands.
"""

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class UnionFind(Generic[T]):
    """A partition of all items seen so far; each item starts as a singleton set."""

    def __init__(self) -> None:
        self._parents: dict[T, T] = {}
        self._weights: dict[T, int] = {}

    def __getitem__(self, item: T) -> T:
        """The representative of an item's set: equal for items of the same set."""
        self._weights.setdefault(item, 1)
        root = self._parents.setdefault(item, item)
        while root != self._parents[root]:
            root = self._parents[root]
        while item != root:  # compress the path
            self._parents[item], item = root, self._parents[item]
        return root

    def __iter__(self) -> Iterator[T]:
        """All items, in the order in which they were first seen."""
        return iter(self._parents)

    def union(self, one: T, other: T) -> None:
        """Merge the sets of two items."""
        heavy, light = self[one], self[other]
        if heavy == light:
            return
        if self._weights[heavy] < self._weights[light]:
            heavy, light = light, heavy
        self._weights[heavy] += self._weights[light]
        self._parents[light] = heavy
