"""Runs candidates on the oracle, several at once, with the same outcome for any number of workers.

Candidates are given in order of preference. The first interesting one in that order wins; those
after it that were started meanwhile are cancelled, and the budget is not charged for them. Verdicts
are looked up by content first, so nothing is run twice, in this process or in one that was killed.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from oracles import Limits, Oracle, Outcome, Signature
from oracles.base import Cache, outcome_digest
from reducer.ir import D, Document
from reducer.search.budget import Budget, Costs, Ledger, Trial
from reducer.search.budget import Stopped as Stopped
from reducer.search.candidate import Candidate, Verdict, canonical
from reducer.search.running import Running
from reducer.search.screening import MAX_SCREENED_OPS, InvalidRates, Screen, ScreenedCandidates
from reducer.search.sequential import Rate, SequentialTest

OnRejected = Callable[[int, Verdict, Outcome], bool]
"""Hears of a candidate that is not interesting: its position, and what came of it. True ends it."""


class Review(Protocol):
    """A second question about a failure that is the wanted one."""

    def review(
        self, text: str, outcome: Outcome, *, cancel: threading.Event, limits: Limits
    ) -> Outcome:
        """The outcome, or another one if there is something against it; with the cost of both."""
        ...


@dataclass(frozen=True)
class OtherFailure:
    """A candidate that fails differently, under the oracle that was asked."""

    text: str
    outcome: Outcome
    oracle: Oracle


class Evaluator:
    """Turns candidates into verdicts against one wanted signature.

    `on_verdict` hears each verdict as it comes in, on a worker's thread; `on_slip` each candidate
    that fails differently, on the caller's thread and in the order of preference. What ran beyond
    an accepted candidate is not heard of, so slips are the same for any number of workers.
    `on_judged` hears every candidate that was judged in that order.
    """

    def __init__(
        self,
        oracle: Oracle,
        cache: Cache,
        *,
        jobs: int = 1,
        budget: Budget | None = None,
        stop: threading.Event | None = None,
        on_verdict: Callable[[Verdict, Outcome], None] | None = None,
        on_other_failure: Callable[[OtherFailure], None] | None = None,
        on_judged: Callable[[Candidate[Any], Verdict], None] | None = None,
        names_matter: bool = True,
        review: Review | None = None,
    ) -> None:
        self.oracle = oracle
        self._review = review
        self._first = oracle  # the one that the cache belongs to
        self._current = oracle
        self.cache = cache
        self.jobs = max(1, jobs)
        self.budget = budget or Budget()
        self.stop = stop or threading.Event()
        self.costs = Costs()
        self._ledger = Ledger()
        self.target: Signature | None = None
        self.test: SequentialTest | None = None
        self.limits: Limits = oracle.limits
        self.limit_factor = 1  # times the limits
        self.screen: Screen | None = None
        self._rates = InvalidRates()
        self._on_verdict = on_verdict
        self._on_other_failure = on_other_failure
        self._on_judged = on_judged
        self._names_matter = names_matter
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(self.jobs, thread_name_prefix="oracle")

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    @contextmanager
    def using_oracle(self, oracle: Oracle) -> Iterator[None]:
        """Asks another oracle in the body of a `with`, such as a shortened one."""
        before, self._current = self._current, oracle
        try:
            yield
        finally:
            self._current = before

    @contextmanager
    def using_oracle_for(self, oracle: Oracle, target: Signature) -> Iterator[None]:
        """Asks in the body of a `with` for another failure, of what is no candidate for a result.

        Nothing but the oracle judges there, and neither what fails differently nor any other
        verdict is heard of.
        """
        before = self.target, self.screen, self._review
        callbacks = self._on_other_failure, self._on_judged
        self.target, self.screen, self._review = target, None, None
        self._on_other_failure = self._on_judged = None
        try:
            with self.using_oracle(oracle):
                yield
        finally:
            self.target, self.screen, self._review = before
            self._on_other_failure, self._on_judged = callbacks

    @contextmanager
    def scaling_limits(self, times: int) -> Iterator[None]:
        """Lets runs take so many times as long in the body of a `with`; they have own verdicts."""
        before, self.limit_factor = self.limit_factor, times
        try:
            yield
        finally:
            self.limit_factor = before

    def use(self, oracle: Oracle) -> None:
        """Asks another oracle from now on, such as one whose command has fewer flags."""
        self.oracle = self._current = oracle

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
        if self.test is None:
            return self.run_once(text, ops, cancel, trial=trial)
        rate, same, other = Rate(), None, None
        while (taken := self.test.decide(rate)) is None:
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
        oracle = self._current
        digest = self._digest(text, repetition)
        if trial is not None:
            trial.digests.append(digest)
        known = self.cache.get(digest)
        if known is not None:
            if trial is None:
                self.charge([digest])
            with self._lock:
                self.costs.cached += 1
            return known
        self.check(trial)
        cancel = cancel or self.stop
        outcome = oracle.run(text, cancel=cancel, limits=self._scaled_limits())
        if self._review is not None and outcome.signature == self.target:
            outcome = self._review.review(text, outcome, cancel=cancel, limits=self.limits)
        with self._lock:
            self.costs.add(self.judge(outcome), outcome.cpu_seconds, ops)
        if not outcome.cancelled:
            self._ledger.enter(digest)  # first: what is in the cache must not seem free
            self.cache.put(digest, outcome, ops)
            if trial is None:
                self.charge([digest])
        if self.stop.is_set():
            raise Stopped("interrupted")
        return outcome

    def charge(self, digests: Iterable[str]) -> None:
        """Charges the budget for those of these runs that are due, in this order.

        Raises:
            Stopped: the budget does not allow one of them.
        """
        with self._lock:
            for digest in digests:
                if not self._ledger.is_due(digest):
                    continue
                if self.budget.calls_left(self.costs) <= 0:
                    raise Stopped("budget")
                self.costs.charged += 1
                self._ledger.settle(digest)

    def _scaled_limits(self) -> Limits:
        seconds, cpu = (
            None if limit is None else limit * self.limit_factor
            for limit in (self.limits.seconds, self.limits.cpu)
        )
        return replace(self.limits, seconds=seconds, cpu=cpu)

    def known(self, text: str) -> Outcome | None:
        """What the full command said of a text, if that was ever asked.

        What only a candidate that was not judged has asked does not count.
        """
        with self.using_oracle(self.oracle):
            digest = self._digest(text)
            return None if self._ledger.is_due(digest) else self.cache.get(digest)

    def check(self, trial: Trial | None = None) -> None:
        """Raises Stopped where nothing may be run any more, or nothing more for this trial."""
        if self.stop.is_set():
            raise Stopped("interrupted")
        with self._lock:
            reserved = 0
            if trial is not None:
                reserved = trial.ahead + sum(map(self._ledger.is_due, set(trial.digests)))
            if self.budget.is_spent(self.costs, reserved):
                raise Stopped("budget")

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
            heard: called in the order given with each candidate that was judged before the
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
                if self._on_judged is not None:
                    self._on_judged(head.candidate, verdict)
                if verdict is Verdict.SAME:
                    return head.position, head.candidate
                if verdict is Verdict.OTHER_FAILURE and self._on_other_failure is not None:
                    self._on_other_failure(
                        OtherFailure(head.candidate.text, outcome, self._current)
                    )
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
        screen = self.screen if fits else None
        return ScreenedCandidates(candidates, screen, base, self._rates, self._is_known)

    def _is_known(self, text: str) -> bool:
        digest = self._digest(text)
        return not self._ledger.is_due(digest) and self.cache.get(digest) is not None

    def _digest(self, text: str, repetition: int = 0) -> str:
        text = text if self._names_matter else canonical(text)
        oracle = self._current
        asked = "" if oracle is self._first else oracle.key
        if self.limit_factor > 1:
            asked = f"{asked} waiting {self.limit_factor} times as long "
        return outcome_digest(text, repetition, asked)

    def _refill(
        self, source: Iterator[tuple[int, Candidate[D]]], running: list[Running[D]]
    ) -> None:
        while len(running) < self.jobs:
            item = next(source, None)
            if item is None:
                return
            position, candidate = item
            start = partial(self._submit, candidate)
            running.append(
                Running(position, candidate, start, self.charge, self.stop, ahead=len(running))
            )

    def evaluate(
        self, candidate: Candidate[D], cancel: threading.Event, trial: Trial
    ) -> tuple[Verdict, Outcome]:
        """The verdict on one candidate, and what it was derived from."""
        outcome = self.run(candidate.text, candidate.document.op_count, cancel, trial=trial)
        verdict = self.judge(outcome)
        if self._on_verdict is not None:
            self._on_verdict(verdict, outcome)
        return verdict, outcome

    def _submit(
        self, candidate: Candidate[D], cancel: threading.Event, trial: Trial
    ) -> Future[tuple[Verdict, Outcome]]:
        return self._pool.submit(self.evaluate, candidate, cancel, trial)
