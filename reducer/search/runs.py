"""Run programs under the oracle, and judge what comes out, as a `Query` specifies.

Verdicts are first looked up by content, so nothing runs twice, in this process or after a restart.
"""

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Self, Unpack

from oracles import Kind, Limits, Oracle, Outcome, Signature
from oracles.base import Cache, outcome_digest
from oracles.run.limits import Cancelled
from reducer.ir import Document, PlainText
from reducer.search.budget import Accounts, Budget, CandidateRuns, CostCounter, Stopped
from reducer.search.candidate import Candidate, Verdict, canonical
from reducer.search.conditions import (
    Condition,
    ConditionName,
    Conditions,
    Judgment,
    Refusal,
    Run,
    SameFailure,
)
from reducer.search.observers import Observers
from reducer.search.query import Query, QueryChanges, RunLimits, RunText
from reducer.search.screening import InvalidRates
from reducer.search.sequential import Rate, SequentialTest
from reducer.search.speculation import Speculation


@dataclass(frozen=True)
class _Shared:
    """State shared by all views of an evaluator.

    `owner` is the oracle that the cache belongs to; outcomes of other oracles are stored under
    their own keys.
    """

    owner: Oracle
    cache: Cache
    jobs: int
    stop: threading.Event
    observers: Observers
    names_matter: bool
    pool: ThreadPoolExecutor
    speculation: Speculation
    accounts: Accounts = field(default_factory=Accounts)
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
        jobs = max(1, jobs)
        self._shared = _Shared(
            owner=oracle,
            cache=cache,
            jobs=jobs,
            stop=stop or threading.Event(),
            observers=observers or Observers(),
            names_matter=names_matter,
            pool=ThreadPoolExecutor(jobs, thread_name_prefix="oracle"),
            speculation=Speculation(jobs),
        )

    def close(self) -> None:
        """Shut down the workers of all views."""
        self._shared.speculation.close()
        self._shared.pool.shutdown(wait=True, cancel_futures=True)

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
        view._shared = replace(self._shared, stop=threading.Event())
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
        return self._shared.accounts.costs

    @property
    def cache(self) -> Cache:
        """The cache of outcomes, shared by all views."""
        return self._shared.cache

    @property
    def stop(self) -> threading.Event:
        """The event that ends the search when set."""
        return self._shared.stop

    # ---- outcomes and verdicts ------------------------------------------------------------------

    def run(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
        *,
        trial: CandidateRuns | None = None,
    ) -> Outcome:
        """The outcome of one text: see `judged`."""
        return self.judged(text, ops, cancel, trial=trial).outcome

    def judged(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
        *,
        trial: CandidateRuns | None = None,
    ) -> Judgment:
        """The judgment of one text, whose outcome is from the cache or from the oracle.

        With a sequential `test`, the outcome represents several runs. The runs of a `trial` are not
        charged.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        test = self.query.test
        if test is None:
            return self._judged_once(text, ops, cancel, trial=trial)
        rate, same, other = Rate(), None, None
        while (taken := test.decide(rate)) is None:
            found = self._judged_once(text, ops, cancel, repetition=rate.runs, trial=trial)
            if found.verdict in (Verdict.CANCELLED, Verdict.INVALID):
                return found  # parsers and verifiers are deterministic
            rate = rate.after(found.verdict is Verdict.SAME)
            if found.verdict is Verdict.SAME:
                same = same or found
            else:
                other = other or found
        judgment = same if taken else other
        assert judgment is not None, "no test is decided against all that it has seen"
        if same is not None and not taken:
            return replace(judgment, refusal=Refusal(ConditionName.FREQUENCY, f"fails in {rate}"))
        return judgment

    def fails(self, document: Document) -> bool:
        """Whether a document has the target failure."""
        return self.judged(document.text, document.op_count).verdict is Verdict.SAME

    def run_once(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
        *,
        repetition: int = 0,
        trial: CandidateRuns | None = None,
        run: RunText | None = None,
    ) -> Outcome:
        """The outcome of one run; each `repetition` of the same text is cached separately.

        Args:
            run: runs the text instead of the query's oracle, with the same outcome.

        Raises:
            Stopped: see `judged`.
        """
        found = self._judged_once(text, ops, cancel, repetition=repetition, trial=trial, run=run)
        return found.outcome

    def _judged_once(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
        *,
        repetition: int = 0,
        trial: CandidateRuns | None = None,
        run: RunText | None = None,
    ) -> Judgment:
        query, accounts = self.query, self._shared.accounts
        digest = self._digest(text, repetition)
        if trial is not None:
            trial.digests.append(digest)
        cancel = cancel or self.stop
        known = self.cache.get(digest)
        if known is not None:
            if trial is None:
                self._charge([digest])
            accounts.enter_reuse()
            return self._judgment(text, known, cancel)
        self.check(trial)
        ahead = self._shared.speculation.take(digest, cancel, query.scaled_limits)
        run = run or query.oracle.run
        outcome = ahead or run(text, cancel=cancel, limits=query.scaled_limits)
        if not outcome.cancelled:
            accounts.owe(digest)  # before the cache, or the run would seem free
            self.cache.put(digest, outcome, ops)
        judgment = self._judgment(text, outcome, cancel)
        if ahead is None:  # otherwise it has been counted
            accounts.enter_run(judgment.verdict, outcome.cpu_seconds, ops)
        if trial is None and not outcome.cancelled:
            self._charge([digest])
        if self.stop.is_set():
            raise Stopped("interrupted")
        return judgment

    def _judgment(self, text: str, outcome: Outcome, cancel: threading.Event) -> Judgment:
        """What the conditions say of an outcome. What refuses the failure turns it into a success.

        Only the first outcome is cached, since another view may have other conditions.
        """
        verdict = self.judge(outcome)
        if verdict is Verdict.CANCELLED:
            return Judgment(verdict, outcome)  # nothing further is asked
        try:
            candidate, run = Candidate(PlainText(text), ""), Run(outcome, verdict, cancel)
            refusal = self.query.conditions.after_a_run(candidate, run)
        except Cancelled:
            cancelled = replace(outcome, kind=Kind.CANCELLED, signature=Signature(Kind.CANCELLED))
            return Judgment(Verdict.CANCELLED, cancelled)
        if verdict is Verdict.SAME and refusal is not None:
            return Judgment(Verdict.NOT_INTERESTING, outcome.turned_down(), refusal)
        return Judgment(verdict, outcome, refusal)

    def known(self, text: str) -> Outcome | None:
        """The cached outcome of a text, if it was run.

        Runs made only for a candidate that was never judged do not count.
        """
        digest = self._digest(text)
        return None if self._shared.accounts.is_due(digest) else self.cache.get(digest)

    def check(self, trial: CandidateRuns | None = None) -> None:
        """Check that another run is allowed, for this `trial` if one is given.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        if self.stop.is_set():
            raise Stopped("interrupted")
        self._shared.accounts.check(self.query.budget, trial)

    def judge(self, outcome: Outcome) -> Verdict:
        """Classify an outcome: same failure, another failure, no failure, or rejected input."""
        return self.query.conditions.same_failure.verdict(outcome)

    def _charge(self, digests: Sequence[str]) -> None:
        self._shared.accounts.charge(digests, self.query.budget)

    def _digest(self, text: str, repetition: int = 0) -> str:
        """The hash under which outcomes for this query are cached."""
        text = text if self._shared.names_matter else canonical(text)
        asked = "" if self.oracle is self._shared.owner else self.oracle.key
        if self.query.patience > 1:
            asked = f"{asked} waiting {self.query.patience} times as long "
        if self.query.label:
            asked = f"{asked} {self.query.label} "
        return outcome_digest(text, repetition, asked)
