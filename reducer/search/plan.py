"""What a search asks about, and what it asks next, as a tree.

A search asks about one candidate after the other, and what it asks next depends on the answer. It
can say what that would be: a `Plan` has candidates in order, what follows if one is accepted, and
what follows if none is.
"""

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol

from oracles import Limits, Outcome
from reducer.ir import D, Document
from reducer.search.candidate import Candidate, is_readable
from reducer.search.prediction import Parts

RunAhead = Callable[[threading.Event, Limits], Outcome]
"""Runs something within some limits, on a worker's thread; the event cancels it."""


@dataclass(frozen=True)
class Errand:
    """A run that is asked for under a key of its own, such as the confirmation of a result."""

    key: str
    run: RunAhead


@dataclass(frozen=True)
class Ahead(Generic[D]):
    """A candidate that a search may ask about.

    `chance` is the chance that it is accepted, if that is known. `edit` identifies what is edited,
    and how: the same edit of a slightly different program will probably have the same verdict.
    `errand` is what is run, if that is not just the candidate.
    """

    candidate: Candidate[D]
    chance: float | None = None
    edit: Hashable = None
    errand: Errand | None = None


class Plan(Protocol[D]):
    """What a search asks about, and what it asks next. Equal plans are interchangeable."""

    @property
    def document(self) -> Document | None:
        """What the candidates are made from, if that is one document."""
        ...

    def candidates(self) -> Iterator[Ahead[D]]:
        """The candidates in order."""
        ...

    def if_accepted(self, index: int, candidate: Candidate[D]) -> "Plan[D] | None":
        """What follows if the candidate with this index is accepted; None if that is unknown."""
        ...

    def if_rejected(self) -> "Plan[D] | None":
        """What follows if all are rejected; None if that is unknown."""
        ...


@dataclass(frozen=True)
class Certain(Generic[D]):
    """What is asked about a document in any case, once the search has come to it.

    Attributes:
        make: the questions, in order. Making them may take long, so it is done for few documents.
        then: what follows if all are answered as expected.
    """

    document: D
    make: Callable[[D], Sequence[Ahead[Any]]] = field(compare=False)
    then: Callable[[D], Plan[D] | None] = field(default=lambda document: None, compare=False)
    number: int = 0
    _made: list[Sequence[Ahead[Any]]] = field(default_factory=list, compare=False, repr=False)

    @property
    def _questions(self) -> Sequence[Ahead[Any]]:
        """The questions, made once for this plan and those that follow from their answers."""
        if not self._made:
            self._made.append(self.make(self.document))
        return self._made[0]

    def candidates(self) -> Iterator[Ahead[Any]]:
        yield from self._questions[self.number : self.number + 1]

    def if_accepted(self, index: int, candidate: Candidate[Any]) -> Plan[D] | None:
        return replace(self, number=self.number + 1)

    def if_rejected(self) -> Plan[D] | None:
        return self.then(self.document) if self.number == len(self._questions) else None


@dataclass(frozen=True)
class Item(Generic[D]):
    """A candidate of a plan; `base` is what it is made from."""

    ahead: Ahead[D]
    digest: str
    parts: Parts | None
    base: Parts | None

    @property
    def question(self) -> Hashable:
        """What is edited, if programs with and without some other ops need not be told apart."""
        if self.parts is None or self.base is None or not self.base & ~self.parts:
            return self.ahead.edit
        return self.ahead.candidate.origin, self.base & ~self.parts


class Node(Generic[D]):
    """A plan as far as it is known: candidates are made, and plans unfolded, on first use."""

    def __init__(
        self,
        plan: Plan[D],
        digest: Callable[[str], str],
        parts: Callable[[Document], Parts | None],
    ) -> None:
        self.plan = plan
        self._digest = digest
        self._parts = parts
        self.base = None if plan.document is None else parts(plan.document)
        self._left = plan.candidates()
        self._items: list[Item[D]] = []
        self._next: dict[int, Node[D] | None] = {}

    def item(self, index: int) -> Item[D] | None:
        """The candidate with this index; None after the last."""
        while len(self._items) <= index:
            made = next(self._left, None)
            if made is None:
                return None
            errand, parts = made.errand, self._parts(made.candidate.document)
            digest = errand.key if errand else self._digest(made.candidate.text)
            self._items.append(Item(made, digest, parts, self.base))
        return self._items[index]

    def following(self, index: int | None) -> "Node[D] | None":
        """What follows if the candidate with this index is accepted; with None, if none is."""
        key = -1 if index is None else index
        if key not in self._next:
            if index is None:
                plan = self.plan.if_rejected()
            else:
                candidate = self._items[index].ahead.candidate
                readable = is_readable(candidate.document)
                plan = self.plan.if_accepted(index, candidate) if readable else None
            self._next[key] = None if plan is None else Node(plan, self._digest, self._parts)
        return self._next[key]

    def nodes(self) -> "Iterator[Node[D]]":
        """This node and all that were unfolded below it."""
        waiting: list[Node[D]] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(found for found in node._next.values() if found is not None)
