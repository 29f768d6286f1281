"""Runs candidates on the oracle, several at once, with the same outcome for any number of workers.

Candidates are given in order of preference. The first interesting one in that order wins; those
after it that were started meanwhile are cancelled, and the budget is not charged for them. Verdicts
are looked up by content first, so nothing is run twice, in this process or in one that was killed.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Unpack

from oracles import Limits, Oracle, Outcome, Signature
from oracles.base import Cache, outcome_digest
from reducer.ir import D, Document
from reducer.search.budget import Accounts, Budget, Costs, Trial
from reducer.search.budget import Stopped as Stopped
from reducer.search.candidate import Candidate, Verdict, canonical
from reducer.search.query import Query, QueryChanges, Review, RunLimits
from reducer.search.running import Running
from reducer.search.screening import MAX_SCREENED_OPS, InvalidRates, Screen, ScreenedCandidates
from reducer.search.sequential import Rate, SequentialTest

OnRejected = Callable[[int, Verdict, Outcome], bool]
"""Hears of a candidate that is not interesting: its position, and what came of it. True ends it."""


@dataclass(frozen=True)
class OtherFailure:
    """A candidate that fails differently, under the oracle that was asked."""

    text: str
    outcome: Outcome
    oracle: Oracle


@dataclass(frozen=True)
class Observers:
    """Those who watch a search; nothing they do changes it.

    Attributes:
        on_verdict: hears each verdict as it comes in, on a worker's thread.
        on_other_failure: hears each candidate that fails differently, on the caller's thread and in
            the order of preference. What ran beyond an accepted candidate is not heard of, so that
            is the same for any number of workers.
        on_judged: hears every candidate that was judged, in that order.
    """

    on_verdict: Callable[[Verdict, Outcome], None] = lambda verdict, outcome: None
    on_other_failure: Callable[[OtherFailure], None] = lambda failure: None
    on_judged: Callable[[Candidate[Any], Verdict], None] = lambda candidate, verdict: None


@dataclass(frozen=True)
class _Shared:
    """What all views of one evaluator have in common.

    `owner` is the oracle that the cache belongs to; what any other says is kept under its own name.
    """

    owner: Oracle
    cache: Cache
    jobs: int
    stop: threading.Event
    observers: Observers
    names_matter: bool
    pool: ThreadPoolExecutor
    accounts: Accounts = field(default_factory=Accounts)
    rates: InvalidRates = field(default_factory=InvalidRates)


class Evaluator:
    """Turns candidates into verdicts, as its `query` says.

    It never changes. To ask in another way, take another view of it (`with_`): all views share
    workers, cache and costs.
    """

    def __init__(
        self,
        oracle: Oracle,
        cache: Cache,
        *,
        target: Signature | None = None,
        limits: Limits | None = None,
        test: SequentialTest | None = None,
        review: Review | None = None,
        screen: Screen | None = None,
        budget: Budget | None = None,
        jobs: int = 1,
        stop: threading.Event | None = None,
        observers: Observers | None = None,
        names_matter: bool = True,
    ) -> None:
        self._query = Query(
            oracle,
            RunLimits(limits or oracle.limits),
            target=target,
            test=test,
            review=review,
            screen=screen,
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
        )

    def close(self) -> None:
        """Ends the workers of all views."""
        self._shared.pool.shutdown(wait=True, cancel_futures=True)

    # ---- views -----------------------------------------------------------------------------

    def with_(self, **changes: Unpack[QueryChanges]) -> "Evaluator":
        """A view that asks in another way and shares everything else."""
        view = copy(self)
        view._query = replace(self._query, **changes)
        return view

    def aside(self, oracle: Oracle, target: Signature) -> "Evaluator":
        """A view that asks for another failure, of what is no candidate for a result.

        Nothing but the oracle judges there, and neither what fails differently nor any other
        verdict is heard of.
        """
        return self.with_(oracle=oracle, target=target, screen=None, review=None, is_observed=False)

    @property
    def query(self) -> Query:
        """What is asked."""
        return self._query

    @property
    def oracle(self) -> Oracle:
        """The one that is asked."""
        return self.query.oracle

    @property
    def target(self) -> Signature | None:
        """How an interesting candidate fails."""
        return self.query.target

    @property
    def limits(self) -> Limits:
        """What each run may use now, before patience."""
        return self.query.limits.current

    @property
    def costs(self) -> Costs:
        """What all views together have spent."""
        return self._shared.accounts.costs

    @property
    def cache(self) -> Cache:
        """Outcomes by what was asked."""
        return self._shared.cache

    @property
    def stop(self) -> threading.Event:
        """Set to end the search."""
        return self._shared.stop

    # ---- one candidate ---------------------------------------------------------------------

    def run(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
        *,
        trial: Trial | None = None,
    ) -> Outcome:
        """The outcome of one text, from the cache or from the oracle.

        With a sequential `test` that is an outcome that stands for several runs. The runs of a
        `trial` are not charged.

        Raises:
            Stopped: the budget is spent, or the user wants to stop.
        """
        test = self.query.test
        if test is None:
            return self.run_once(text, ops, cancel, trial=trial)
        rate, same, other = Rate(), None, None
        while (taken := test.decide(rate)) is None:
            outcome = self.run_once(text, ops, cancel, repetition=rate.runs, trial=trial)
            verdict = self.judge(outcome)
            if verdict in (Verdict.CANCELLED, Verdict.INVALID):
                return outcome  # what a parser or verifier says does not depend on chance
            rate = rate.after(verdict is Verdict.SAME)
            if verdict is Verdict.SAME:
                same = same or outcome
            else:
                other = other or outcome
        found = same if taken else other
        assert found is not None, "no test is decided against all that it has seen"
        return found

    def fails(self, document: Document) -> bool:
        """Whether a document fails in the wanted way."""
        return self.judge(self.run(document.text, document.op_count)) is Verdict.SAME

    def run_once(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
        *,
        repetition: int = 0,
        trial: Trial | None = None,
    ) -> Outcome:
        """The outcome of one run; each `repetition` of the same text is remembered by itself.

        Raises:
            Stopped: see `run`.
        """
        query, accounts = self.query, self._shared.accounts
        digest = self._digest(text, repetition)
        if trial is not None:
            trial.digests.append(digest)
        known = self.cache.get(digest)
        if known is not None:
            if trial is None:
                self._charge([digest])
            accounts.enter_reuse()
            return known
        self.check(trial)
        cancel = cancel or self.stop
        outcome = query.oracle.run(text, cancel=cancel, limits=query.scaled_limits)
        if query.review is not None and outcome.signature == query.target:
            outcome = query.review.review(text, outcome, cancel=cancel, limits=self.limits)
        accounts.enter_run(self.judge(outcome), outcome.cpu_seconds, ops)
        if not outcome.cancelled:
            accounts.owe(digest)  # first: what is in the cache must not seem free
            self.cache.put(digest, outcome, ops)
            if trial is None:
                self._charge([digest])
        if self.stop.is_set():
            raise Stopped("interrupted")
        return outcome

    def known(self, text: str) -> Outcome | None:
        """What is known of a text, if this was ever asked.

        What only a candidate that was not judged has asked does not count.
        """
        digest = self._digest(text)
        return None if self._shared.accounts.is_due(digest) else self.cache.get(digest)

    def check(self, trial: Trial | None = None) -> None:
        """Raises Stopped where nothing may be run any more, or nothing more for this trial."""
        if self.stop.is_set():
            raise Stopped("interrupted")
        self._shared.accounts.check(self.query.budget, trial)

    def judge(self, outcome: Outcome) -> Verdict:
        """Same failure, another one, none, or an input that was turned away."""
        if outcome.cancelled:
            return Verdict.CANCELLED
        if self.target is None or outcome.signature == self.target:
            return Verdict.SAME
        if outcome.succeeded:
            return Verdict.NOT_INTERESTING
        if outcome.kind.traits.out_of_time:
            return Verdict.TIMEOUT
        if outcome.kind.traits.rejected or outcome.signature.stage == "input":
            return Verdict.INVALID
        return Verdict.OTHER_FAILURE

    # ---- many candidates -------------------------------------------------------------------

    def first_interesting(
        self,
        candidates: Iterable[Candidate[D]],
        base: Document | None = None,
        on_rejected: OnRejected | None = None,
    ) -> tuple[int, Candidate[D]] | None:
        """The first candidate, in the order given, that fails the same way; and its position.

        Args:
            base: what the candidates were made from. If it is given, and small, those that the
                compiler would turn away are not run (see `screening`).
            on_rejected: called in the order given with each candidate that was judged before the
                interesting one; if it returns True, the search ends there with None.

        Raises:
            Stopped: see `run`.
        """
        source = self._screened(iter(candidates), base)
        running: list[Running[D]] = []
        withdrawn: list[Running[D]] = []
        try:
            while True:
                self._refill(source, running)
                if not running:
                    source.end()
                    return None
                head = running.pop(0)
                verdict, outcome = head.judged()
                late = source.settle(head.position, invalid=verdict is Verdict.INVALID)
                for task in [task for task in running if task.position in late]:
                    task.cancel.set()
                    running.remove(task)
                    withdrawn.append(task)
                self._tell(head.candidate, verdict, outcome)
                if verdict is Verdict.SAME:
                    return head.position, head.candidate
                if on_rejected is not None and on_rejected(head.position, verdict, outcome):
                    return None
        finally:
            for task in running:
                task.cancel.set()
            for task in (*running, *withdrawn):
                task.settle()
            source.close()

    def _screened(
        self, candidates: Iterator[Candidate[D]], base: Document | None
    ) -> ScreenedCandidates[D]:
        fits = base is not None and base.op_count <= MAX_SCREENED_OPS
        screen = self.query.screen if fits else None
        return ScreenedCandidates(candidates, screen, base, self._shared.rates, self._is_known)

    def _is_known(self, text: str) -> bool:
        return self.known(text) is not None

    def _refill(
        self, source: Iterator[tuple[int, Candidate[D]]], running: list[Running[D]]
    ) -> None:
        while len(running) < self._shared.jobs:
            item = next(source, None)
            if item is None:
                return
            position, candidate = item
            start = partial(self._submit, candidate)
            running.append(
                Running(position, candidate, start, self._charge, self.stop, ahead=len(running))
            )

    def _submit(
        self, candidate: Candidate[D], cancel: threading.Event, trial: Trial
    ) -> Future[tuple[Verdict, Outcome]]:
        return self._shared.pool.submit(self._evaluate, candidate, cancel, trial)

    def _evaluate(
        self, candidate: Candidate[D], cancel: threading.Event, trial: Trial
    ) -> tuple[Verdict, Outcome]:
        """The verdict on one candidate, and what it was derived from."""
        outcome = self.run(candidate.text, candidate.document.op_count, cancel, trial=trial)
        verdict = self.judge(outcome)
        self._shared.observers.on_verdict(verdict, outcome)
        return verdict, outcome

    def _tell(self, candidate: Candidate[Any], verdict: Verdict, outcome: Outcome) -> None:
        """Lets those who watch know of a candidate whose turn has come."""
        if not self.query.is_observed:
            return
        self._shared.observers.on_judged(candidate, verdict)
        if verdict is Verdict.OTHER_FAILURE:
            self._shared.observers.on_other_failure(
                OtherFailure(candidate.text, outcome, self.oracle)
            )

    def _charge(self, digests: Sequence[str]) -> None:
        self._shared.accounts.charge(digests, self.query.budget)

    def _digest(self, text: str, repetition: int = 0) -> str:
        """The hash under which an answer to this query is kept."""
        text = text if self._shared.names_matter else canonical(text)
        asked = "" if self.oracle is self._shared.owner else self.oracle.key
        if self.query.patience > 1:
            asked = f"{asked} waiting {self.query.patience} times as long "
        return outcome_digest(text, repetition, asked)
