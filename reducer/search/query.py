"""How a search judges candidates, as one immutable value, and who is told about them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from oracles import Limits, Oracle, Outcome, Signature
from reducer.asking import Budget
from reducer.ir import Document
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import Conditions, Judgment, Refused
from reducer.search.sequential import SequentialTest


@dataclass(frozen=True)
class OtherFailure:
    """A candidate with a failure other than the target, and the oracle that reported it."""

    document: Document
    outcome: Outcome
    oracle: Oracle

    @property
    def text(self) -> str:
        return self.document.text


@dataclass(frozen=True)
class Observers:
    """Callbacks of a search; none of them affects it.

    Attributes:
        on_verdict: called with each verdict as it arrives, on a worker's thread.
        on_other_failure: called with each candidate that fails differently, on the caller's thread
            and in order of preference. Candidates after an accepted one are not reported, so the
            calls are the same for any number of workers.
        on_judged: called with every candidate that was run and its judgment, in the same order.
        on_refused: called with every candidate that was refused, run or not, in the same order.
    """

    on_verdict: Callable[[Verdict, Outcome], None] = lambda verdict, outcome: None
    on_other_failure: Callable[[OtherFailure], None] = lambda failure: None
    on_judged: Callable[[Candidate[Any], Judgment], None] = lambda candidate, judgment: None
    on_refused: Callable[[Refused], None] = lambda refused: None


_SLOWDOWN_FACTOR = 4  # a candidate may take this many times as long as the best…
_MIN_SECONDS = 30.0  # …but never less than this many seconds, for a machine under load…
_MIN_CPU_SECONDS = 3.0  # …and of processor time, which depends little on what else runs


class RunLimits:
    """The limits of each run, which may tighten as the program shrinks and never grow.

    A candidate is smaller than the best, so it should run no longer; one that does probably hangs,
    and each hang costs the full limit. The limits depend only on outcomes in the journal and change
    only when a result is confirmed and no candidate is running. A resumed reduction, or one with
    more workers, therefore goes through the same limits. Because they never grow, a hang stays a
    hang.

    Args:
        limits: the limits that the user set.
        adapts: whether they follow the resource use of the best.
    """

    def __init__(self, limits: Limits, *, adapts: bool = False) -> None:
        self.current = limits
        self._adapts = adapts

    def lower(self, limits: Limits) -> None:
        """Replace the limits by lower ones."""
        self.current = limits

    def tighten(self, outcome: Outcome) -> None:
        """Fit the limits to the outcome of a program that is larger than all later candidates."""
        if self._adapts:
            self.current = tightened(self.current, outcome)


def tightened(limits: Limits, outcome: Outcome) -> Limits:
    """The limits for programs smaller than the one with this outcome, at most `limits`."""
    return replace(
        limits,
        seconds=_tighter(limits.seconds, outcome.seconds, _MIN_SECONDS),
        cpu=_tighter(limits.cpu, outcome.cpu_seconds, _MIN_CPU_SECONDS),
    )


def _tighter(limit: float | None, seconds: float, least: float) -> float:
    derived = max(least, _SLOWDOWN_FACTOR * seconds)
    return derived if limit is None else min(limit, derived)


@dataclass(frozen=True)
class Query:
    """The oracle, the target, and the limits for judging candidates.

    Attributes:
        oracle: runs a candidate: the full command, one that stops early, one with fewer flags…
        limits: the limits of each run.
        patience: the factor by which runs may exceed the limits. Verdicts obtained with a different
            factor are not reused.
        label: names limits other than the usual ones. Verdicts obtained under other limits are not
            reused.
        test: decides after several runs of a candidate, for intermittent failures.
        conditions: what a candidate must meet to become the best.
        budget: the limits of the whole reduction.
        is_observed: whether observers are called for these candidates. False when looking for
            something other than a result.
    """

    oracle: Oracle
    limits: RunLimits
    conditions: Conditions = field(default_factory=Conditions)
    patience: int = 1
    label: str = ""
    test: SequentialTest | None = None
    budget: Budget = field(default_factory=Budget)
    is_observed: bool = True

    @property
    def target(self) -> Signature | None:
        """The signature of an interesting candidate; None while it is unknown."""
        return self.conditions.same_failure.target

    @property
    def scaled_limits(self) -> Limits:
        """The limits of a run, scaled by `patience`."""
        limits = self.limits.current
        seconds, cpu = (
            None if limit is None else limit * self.patience
            for limit in (limits.seconds, limits.cpu)
        )
        return replace(limits, seconds=seconds, cpu=cpu)


class QueryChanges(TypedDict, total=False):
    """The fields of a query that a view may change."""

    oracle: Oracle
    limits: RunLimits
    conditions: Conditions
    patience: int
    label: str
    test: SequentialTest | None
    budget: Budget
    is_observed: bool
