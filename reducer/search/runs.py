"""Run programs under the oracle, and judge what comes out, as a `Query` specifies.

Verdicts are first looked up by content, so nothing runs twice, in this process or after a restart.
"""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Self, Unpack

from oracles import Kind, Limits, Oracle, Outcome, Signature
from oracles.base import Cache, outcome_digest
from reducer.asking import Asking, Budget, RunText, Stopped
from reducer.ir import PlainText
from reducer.search.candidate import Candidate, CostCounter, Verdict, canonical
from reducer.search.conditions import (
    REFUSED_AS,
    Condition,
    ConditionName,
    Conditions,
    Judgment,
    Run,
    SameFailure,
)
from reducer.search.query import Observers, Query, QueryChanges, RunLimits
from reducer.search.screening import InvalidRates
from reducer.search.sequential import SequentialTest
from reducer.search.speculation import Speculation

_VERDICTS = {name: verdict for verdict, name in REFUSED_AS.items()}
"""The verdicts on outcomes that these conditions refuse."""


@dataclass(frozen=True)
class _Shared:
    """State shared by all views of a judge.

    `owner` is the oracle that the cache belongs to; outcomes of other oracles are stored under
    their own keys. `head` runs the candidate whose turn it is while the search looks further ahead.
    `asking` has no budget or limits yet: these are part of a query.
    """

    owner: Oracle
    cache: Cache
    asking: Asking
    costs: CostCounter
    jobs: int
    observers: Observers
    names_matter: bool
    head: ThreadPoolExecutor
    speculation: Speculation
    rates: InvalidRates = field(default_factory=InvalidRates)


class Runs:
    """Turns programs into outcomes and verdicts, as its `query` specifies.

    This is immutable. `with_` makes a view with a different query; all views share workers, cache
    and costs.
    """

    def __init__(
        self,
        oracle: Oracle,
        cache: Cache,
        *,
        target: Signature | None = None,
        limits: Limits | None = None,
        conditions: Iterable[Condition] = (),
        test: SequentialTest | None = None,
        budget: Budget | None = None,
        jobs: int = 1,
        stop: threading.Event | None = None,
        observers: Observers | None = None,
        names_matter: bool = True,
    ) -> None:
        self._query = Query(
            oracle,
            RunLimits(limits or oracle.limits),
            conditions=Conditions().under(SameFailure(target), *conditions),
            test=test,
            budget=budget or Budget(),
        )
        jobs, costs = max(1, jobs), CostCounter()
        stop, speculation = stop or threading.Event(), Speculation(jobs)
        self._shared = _Shared(
            owner=oracle,
            cache=cache,
            asking=Asking(cache, cancel=stop, cost=costs, ahead=speculation.take),
            costs=costs,
            jobs=jobs,
            observers=observers or Observers(),
            names_matter=names_matter,
            head=ThreadPoolExecutor(1, thread_name_prefix="head"),
            speculation=speculation,
        )

    def close(self) -> None:
        """Shut down the workers of all views."""
        self._shared.speculation.close()
        self._shared.head.shutdown(wait=True, cancel_futures=True)

    # ---- views ----------------------------------------------------------------------------------

    def with_(self, **changes: Unpack[QueryChanges]) -> Self:
        """A view with a changed query that shares everything else."""
        view = copy(self)
        view._query = replace(self._query, **changes)
        return view

    def under(self, *conditions: Condition) -> Self:
        """A view with these conditions, in place of those with their names."""
        return self.with_(conditions=self.query.conditions.under(*conditions))

    def without(self, *names: ConditionName) -> Self:
        """A view without the conditions of these names."""
        return self.with_(conditions=self.query.conditions.without(*names))

    def by_failure(self) -> Self:
        """A view that judges by the failure alone, so that a run is all that it takes."""
        return self.with_(conditions=Conditions().under(self.query.conditions.same_failure))

    def unstoppable(self) -> Self:
        """A view with a budget of its own, for what is left to do when the search was stopped."""
        view = self.by_failure().with_(budget=Budget())
        asking = replace(self._shared.asking, cancel=threading.Event())
        view._shared = replace(self._shared, asking=asking)
        return view

    def aside(self, oracle: Oracle, target: Signature) -> Self:
        """A view that looks for another failure in programs that are not candidates for the result.

        It judges by the oracle alone, and observers are not called.
        """
        conditions = Conditions().under(SameFailure(target))
        return self.with_(oracle=oracle, conditions=conditions, is_observed=False)

    @property
    def query(self) -> Query:
        """The query that defines how candidates are judged."""
        return self._query

    @property
    def oracle(self) -> Oracle:
        """The oracle that runs candidates."""
        return self.query.oracle

    @property
    def target(self) -> Signature | None:
        """The signature of an interesting candidate."""
        return self.query.target

    @property
    def limits(self) -> Limits:
        """The current limits of each run, before `patience` scales them."""
        return self.query.limits.current

    @property
    def costs(self) -> CostCounter:
        """What all views together have spent."""
        return self._shared.costs

    @property
    def cache(self) -> Cache:
        """The cache of outcomes, shared by all views."""
        return self._shared.cache

    @property
    def stop(self) -> threading.Event:
        """The event that ends the search when set."""
        return self._shared.asking.cancel

    # ---- outcomes and verdicts ------------------------------------------------------------------

    def run_once(
        self,
        text: str,
        ops: int,
        *,
        repetition: int = 0,
        run: RunText | None = None,
    ) -> Outcome:
        """The outcome of one run; each `repetition` of the same text is cached separately.

        Args:
            run: runs the text instead of the query's oracle, with the same outcome.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        return self.judged_once(text, ops, repetition=repetition, run=run).outcome

    def judged_once(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
        *,
        repetition: int = 0,
        run: RunText | None = None,
    ) -> Judgment:
        cancel = cancel or self.stop
        answer, is_new = run or self.oracle.run, False

        def run_now(text: str, *, cancel: threading.Event | None, limits: Limits | None) -> Outcome:
            nonlocal is_new
            is_new = True
            return answer(text, cancel=cancel, limits=limits)

        digest = self._digest(text, repetition)
        outcome = self._asking.ask(self.oracle, text, digest, ops=ops, cancel=cancel, run=run_now)
        judgment = self._judgment(text, outcome, cancel)
        if is_new and not outcome.cancelled:  # otherwise it has been counted, or counts for nothing
            self.costs.note(judgment.verdict, ops)
        return judgment

    def _judgment(self, text: str, outcome: Outcome, cancel: threading.Event) -> Judgment:
        """What the conditions say of an outcome. What refuses the failure turns it into a success.

        Only the first outcome is cached, since another view may have other conditions.
        """
        if outcome.cancelled:
            return Judgment(Verdict.CANCELLED, outcome)  # nothing further is asked
        try:
            candidate = Candidate(PlainText(text), "", oracle=self.oracle)
            run = Run(outcome, cancel)
            is_decided = self.query.test is None
            refusal = self.query.conditions.after_a_run(candidate, run, is_decided=is_decided)
        except Stopped:
            if not cancel.is_set():
                raise
            cancelled = replace(outcome, kind=Kind.CANCELLED, signature=Signature(Kind.CANCELLED))
            return Judgment(Verdict.CANCELLED, cancelled)
        if refusal is None:
            return Judgment(Verdict.SAME, outcome)
        if refusal.condition in _VERDICTS:
            return Judgment(_VERDICTS[refusal.condition], outcome, refusal)
        return Judgment(Verdict.NOT_INTERESTING, outcome.turned_down(), refusal)

    def known(self, text: str) -> Outcome | None:
        """The cached outcome of a text, if it was run."""
        return self.cache.get(self._digest(text))

    def check(self) -> None:
        """Check that another run is allowed.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        self._asking.check()

    @property
    def _asking(self) -> Asking:
        query = self.query
        return replace(self._shared.asking, budget=query.budget, limits=query.scaled_limits)

    def verdict_of(self, outcome: Outcome) -> Verdict:
        """Classify an outcome: same failure, another failure, no failure, or rejected input."""
        return self.query.conditions.same_failure.verdict(outcome)

    def _digest(self, text: str, repetition: int = 0) -> str:
        """The hash under which outcomes for this query are cached."""
        text = text if self._shared.names_matter else canonical(text)
        asked = "" if self.oracle is self._shared.owner else self.oracle.key
        if self.query.patience > 1:
            asked = f"{asked} waiting {self.query.patience} times as long "
        if (layout := self.query.limits.current.layout) != 0:
            how = "at random addresses" if layout is None else f"in layout {layout}"
            asked = f"{asked} {how} "
        if self.query.label:
            asked = f"{asked} {self.query.label} "
        return outcome_digest(text, repetition, asked)
