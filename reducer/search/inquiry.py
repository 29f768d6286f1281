"""Searches over any value, each written as one function that yields what to ask about.

A value is whatever a candidate can be made of: a program, a command, a set of names, a number. The
function has no effects, and asks the same again if it gets the same replies. So any point of it is
known by the replies up to there, and it is a plan like the others: workers that are ahead go on
with it under replies that they expect.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Generic, TypeVar

from reducer.ir import D
from reducer.search.candidate import Candidate, Verdict
from reducer.search.judge import Judge
from reducer.search.plan import Answer, Once, Plan, Proposal
from reducer.search.state import SearchState
from reducer.search.walk import walk

V = TypeVar("V")
T = TypeVar("T")


@dataclass(frozen=True)
class Reply(Generic[V]):
    """The first of the values asked about that still fails, None if none does, and the refusals."""

    taken: V | None
    refused: Sequence[Answer] = field(default=(), compare=False)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the last value that was asked about; workers that are ahead expect one."""
        if self.taken is not None:
            return Verdict.SAME
        return self.refused[-1].verdict or Verdict.NOT_INTERESTING


Questions = Generator[Iterable[V], Reply[V], T]
"""Yields values to ask about in order, until one still fails, and returns what was found.

They may be made when they are asked about, of what does not change later.
"""


@dataclass(frozen=True)
class _Found(Generic[T]):
    result: T


@dataclass(frozen=True)
class Inquiry(Plan[D], Generic[D, V, T]):
    """A point of a search that is written as a function.

    Attributes:
        made: the candidate for a value, run under the command that it names, if it does.
        end: is told the result.
        accepts: whether what still fails is accepted, and not only tells how to go on.
    """

    is_screened: ClassVar[bool] = True

    document: D
    search: Callable[[], Questions[V, T]] = field(compare=False)
    made: Callable[[V], Candidate[D]] = field(compare=False)
    end: Callable[[T], None] = field(compare=False)
    accepts: bool
    replies: tuple[Reply[V], ...] = ()
    _before: list[Questions[V, T]] = field(default_factory=list, compare=False, repr=False)
    _after: list[Questions[V, T]] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def _point(self) -> Once[V] | _Found[T]:
        """What is asked here. The first to ask goes on where the plan before it stands."""
        try:
            if self._before:
                questions = self._before.pop()
                question = questions.send(self.replies[-1])
            else:
                questions = self.search()
                question = next(questions)
                for reply in self.replies:
                    question = questions.send(reply)
        except StopIteration as ended:
            return _Found(ended.value)
        self._after.append(questions)
        return Once(question)

    def _then(self, reply: Reply[V]) -> Plan[D]:
        return replace(self, replies=(*self.replies, reply), _before=self._after, _after=[])

    @property
    def is_probe(self) -> bool:
        return not self.accepts

    def begin(self) -> Plan[D] | None:
        if not isinstance(self._point, _Found):
            return self
        self.end(self._point.result)
        return None

    def candidates(self) -> Iterator[Proposal[D]]:
        if not isinstance(self._point, _Found):
            yield from (Proposal(self.made(value), value) for value in self._point)

    def if_accepted(
        self, place: V, candidate: Candidate[D], refused: Sequence[Answer]
    ) -> Plan[D] | None:
        return self._then(Reply(place, refused))

    def if_refused(self, refused: Sequence[Answer]) -> Plan[D] | None:
        return None if isinstance(self._point, _Found) else self._then(Reply(None, refused))


def inquire(
    judge: Judge,
    document: D,
    search: Callable[[], Questions[V, T]],
    made: Callable[[V], Candidate[D]],
    accept: Callable[[Candidate[D]], None] | None = None,
) -> T:
    """Carry out a search about a document, and return its result.

    Args:
        accept: is called with each candidate that still fails, before the search goes on.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    results: list[T] = []
    plan = Inquiry(document, search, made, results.append, accept is not None)
    walk(plan, SearchState(document, lambda text: document, judge, accept or (lambda one: None)))
    return results[0]


def boundary(
    fails: int, passes: int, at: Callable[[int], Iterable[V]], first: int | None = None
) -> Questions[V, tuple[int, V | None]]:
    """Bisect between a number that fails and one that passes.

    Args:
        at: the values to ask about for a number, any of which may fail.
        first: the number to ask about first, by default the one in the middle.

    Returns:
        The failing number that is next to a passing one, and the value that failed there, None if
        nothing asked about did.
    """
    taken, number = None, (fails + passes) // 2 if first is None else first
    while abs(fails - passes) > 1:
        reply = yield at(number)
        if reply.taken is None:
            passes = number
        else:
            fails, taken = number, reply.taken
        number = (fails + passes) // 2
    return fails, taken
