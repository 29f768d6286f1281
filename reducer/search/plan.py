"""Plans: the candidates of a search in order, and what follows the verdict on each of them.

Every search is a plan: candidates in order, what follows if one is accepted, and what follows if
all are refused. `walk` runs it. Workers that are ahead (see `foresight`) walk the same plan, and
guess the verdicts that are not known yet.

To add a search, write a function (see `inquiry`), or derive a class from `Plan` (or build `Effect`s
around those that exist) and `walk` it. Plans are values: nothing about them changes, and making
candidates has no effects.
"""

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, ClassVar, Generic, TypeVar

from oracles import Limits, Outcome
from reducer.ir import D
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import Refused

T = TypeVar("T")

RunAhead = Callable[[threading.Event, Limits], Outcome]
"""Runs something within some limits, on a worker's thread; the event cancels it."""


@dataclass(frozen=True)
class Errand:
    """A run that is asked for under a key of its own, such as the confirmation of a result."""

    key: str
    run: RunAhead


@dataclass(frozen=True)
class Proposal(Generic[D]):
    """A candidate of a plan.

    Attributes:
        place: what the plan itself wants to know about it once there is a verdict.
        chance: the chance that it is accepted, if that is known.
        edit: identifies what is edited, and how: the same edit of a slightly different program will
            probably have the same verdict.
        errand: what is run, if that is not just the candidate.
    """

    candidate: Candidate[D]
    place: Any = None
    chance: float | None = None
    edit: Hashable = None
    errand: Errand | None = None


@dataclass(frozen=True)
class Answer:
    """What is known about a candidate, by its place in a plan.

    Workers that are ahead assume that candidates are refused whose `verdict` is None, not known.
    `bucket` is what the failure is sorted under, and `said` the failure in words.
    """

    verdict: Verdict | None = None
    bucket: str = ""
    place: Any = None
    said: str = ""

    @property
    def is_same(self) -> bool:
        return self.verdict is Verdict.SAME


class Plan(Generic[D]):
    """A point of a search. Equal plans are interchangeable."""

    document: D
    """What the candidates are made from."""

    is_screened: ClassVar[bool] = False
    """Whether candidates are not run that the compiler would reject (see `screening`)."""

    minds_refusals: ClassVar[bool] = False
    """Whether it matters to what follows how candidates were refused."""

    @property
    def is_probe(self) -> bool:
        """Whether an interesting candidate only tells how to go on, and is not accepted."""
        return False

    def begin(self) -> "Plan[D] | None":
        """The plan to walk here: this one, unless it has effects (see `Effect`)."""
        return self

    def candidates(self) -> Iterator[Proposal[D] | Refused]:
        """The candidates in order, and between them what was refused when it was made."""
        return iter(())

    def is_decided(self, refused: Sequence[Answer]) -> bool:
        """Whether no more candidates are tried after these refusals."""
        return False

    def learn(self, failed: Sequence[Any], accepted: Candidate[D] | None) -> None:
        """Remember that the candidates of these places failed, and which was accepted after them.

        This and `begin` are never called by workers that are ahead.
        """

    def if_accepted(
        self, place: Any, candidate: Candidate[D], refused: Sequence[Answer]
    ) -> "Plan[D] | None":
        """What follows if this candidate is accepted after some were refused; None at the end."""
        return None

    def if_refused(self, refused: Sequence[Answer]) -> "Plan[D] | None":
        """What follows if none is accepted; None at the end."""
        return None


Next = Callable[[D], Plan[D] | None]
"""What follows, given the document to go on with."""

Then = Callable[[D, bool, bool], Plan[D] | None]
"""What follows a search that ends with a document; whether it made progress, or put off edits."""


@dataclass(frozen=True)
class Effect(Plan[D]):
    """Something that happens between two searches, such as an audit, and asks about no candidate.

    Attributes:
        name: tells apart what may happen to one document.
        happens: called when the search comes here; returns how it goes on.
        expected: how workers that are ahead expect it to go on.
    """

    name: str
    document: D
    happens: Callable[[], Plan[D] | None] = field(compare=False)
    expected: Next[D] = field(compare=False)

    def begin(self) -> Plan[D] | None:
        return self.happens()

    def if_refused(self, refused: Sequence[Answer]) -> Plan[D] | None:
        return self.expected(self.document)


def later(document: D, following: Next[D]) -> Effect[D]:
    """The end of a search, and what another will ask about the document after it."""
    return Effect("end", document, lambda: None, following)


@dataclass(frozen=True)
class Certain(Plan[D]):
    """What is asked about a document in any case, once the search has come to it.

    Attributes:
        make: the questions, in order. Making them may take long, so it is done for few documents.
        then: what follows if all are answered as expected.
    """

    document: D
    make: Callable[[D], Sequence[Proposal[Any]]] = field(compare=False)
    then: Next[D] = field(default=lambda document: None, compare=False)
    number: int = 0
    _made: list[Sequence[Proposal[Any]]] = field(default_factory=list, compare=False, repr=False)

    @property
    def _questions(self) -> Sequence[Proposal[Any]]:
        """The questions, made once for this plan and those that follow from their answers."""
        if not self._made:
            self._made.append(self.make(self.document))
        return self._made[0]

    def candidates(self) -> Iterator[Proposal[Any]]:
        yield from self._questions[self.number : self.number + 1]

    def if_accepted(
        self, place: Any, candidate: Candidate[D], refused: Sequence[Answer]
    ) -> Plan[D] | None:
        return replace(self, number=self.number + 1)

    def if_refused(self, refused: Sequence[Answer]) -> Plan[D] | None:
        return self.then(self.document) if self.number == len(self._questions) else None


@dataclass(frozen=True, eq=False)
class Choices(Plan[D]):
    """Candidates of which the first that fails is taken; nothing follows."""

    document: D
    choices: Iterable[Candidate[D] | Refused]

    def candidates(self) -> Iterator[Proposal[D] | Refused]:
        return (one if isinstance(one, Refused) else Proposal(one) for one in self.choices)


class Once(Iterable[T]):
    """What an iterator yields, which may be costly, made once for all who ask."""

    def __init__(self, source: Iterable[T]) -> None:
        self._left = iter(source)
        self._made: list[T] = []

    def __iter__(self) -> Iterator[T]:
        for number in count():
            if number == len(self._made):
                try:
                    self._made.append(next(self._left))
                except StopIteration:
                    return
            yield self._made[number]
