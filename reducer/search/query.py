"""What a search asks of each candidate, as one value that is passed and never assigned to."""

import threading
from dataclasses import dataclass, field, replace
from typing import Protocol, TypedDict

from oracles import Limits, Oracle, Outcome, Signature
from reducer.search.budget import Budget
from reducer.search.screening import Screen
from reducer.search.sequential import SequentialTest

_SLOWDOWN_FACTOR = 4  # a candidate may take so many times as long as the best…
_MIN_SECONDS = 30.0  # …and at least so many seconds, whatever else the machine has to do


class Review(Protocol):
    """A second question about a failure that is the wanted one."""

    def review(
        self, text: str, outcome: Outcome, *, cancel: threading.Event, limits: Limits
    ) -> Outcome:
        """The outcome, or another one if there is something against it; with the cost of both."""
        ...


class RunLimits:
    """What each run may use. It may tighten as the program shrinks, and never grows.

    A candidate is smaller than the best, so it should take no longer; one that does hangs, and
    each hang costs the whole limit. The limits follow from outcomes in the journal and change only
    when something is confirmed, while no candidate runs: a resumed reduction walks through the same
    ones, and so does one with more workers. They never grow, so what was a hang stays one.

    Args:
        limits: those that the user set.
        adapts: whether they follow what the best takes.
    """

    def __init__(self, limits: Limits, *, adapts: bool = False) -> None:
        self.current = limits
        self._adapts = adapts

    def tighten(self, outcome: Outcome) -> None:
        """A program that should take longer than all that come after it ended like this."""
        if self._adapts:
            self.current = tightened(self.current, outcome)


def tightened(limits: Limits, outcome: Outcome) -> Limits:
    """What a smaller program than that of the outcome may use, and no more than before."""
    return replace(
        limits,
        seconds=_tighter(limits.seconds, outcome.seconds),
        cpu=_tighter(limits.cpu, outcome.cpu_seconds),
    )


def _tighter(limit: float | None, seconds: float) -> float:
    derived = max(_MIN_SECONDS, _SLOWDOWN_FACTOR * seconds)
    return derived if limit is None else min(limit, derived)


@dataclass(frozen=True)
class Query:
    """Who is asked, what counts as an answer, and what may be spent on it.

    Attributes:
        oracle: runs a candidate; the full command, or one that stops early, has fewer flags…
        limits: what each run may use.
        target: how an interesting candidate fails; None while that is not known.
        patience: how many times as long as the limits say a run may take. Verdicts that were given
            with other patience are not reused.
        test: decides after several runs of a candidate, for a failure that comes and goes.
        review: the second question about what fails as it should.
        screen: tells candidates that are not worth a run.
        budget: what the whole reduction may spend.
        is_observed: whether those who watch the search hear of these candidates. They do not where
            something else than a result is looked for.
    """

    oracle: Oracle
    limits: RunLimits
    target: Signature | None = None
    patience: int = 1
    test: SequentialTest | None = None
    review: Review | None = None
    screen: Screen | None = None
    budget: Budget = field(default_factory=Budget)
    is_observed: bool = True

    @property
    def scaled_limits(self) -> Limits:
        """What a run may use now, with all patience."""
        limits = self.limits.current
        seconds, cpu = (
            None if limit is None else limit * self.patience
            for limit in (limits.seconds, limits.cpu)
        )
        return replace(limits, seconds=seconds, cpu=cpu)


class QueryChanges(TypedDict, total=False):
    """The fields of a query, each of which may be another one."""

    oracle: Oracle
    limits: RunLimits
    target: Signature | None
    patience: int
    test: SequentialTest | None
    review: Review | None
    screen: Screen | None
    budget: Budget
    is_observed: bool
