"""Disjoint sets that grow together.

networkx has the same, but importing it takes a fifth of the time that most commands need to start.
"""

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class UnionFind(Generic[T]):
    """A partition of whatever items it has been asked about; each begins as a set of its own."""

    def __init__(self) -> None:
        self._parents: dict[T, T] = {}
        self._weights: dict[T, int] = {}

    def __getitem__(self, item: T) -> T:
        """The representative of the item's set: equal for two items just when they are in one."""
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
        """Joins the sets of two items."""
        heavy, light = self[one], self[other]
        if heavy == light:
            return
        if self._weights[heavy] < self._weights[light]:
            heavy, light = light, heavy
        self._weights[heavy] += self._weights[light]
        self._parents[light] = heavy
