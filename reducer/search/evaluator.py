"""Run candidates under the oracle, several at once, independently of the number of workers.

Candidates are given in order of preference. The first interesting one in that order wins; later
ones that are already running are cancelled and not charged to the budget. Verdicts are first looked
up by content, so nothing runs twice, in this process or after a restart.
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
from oracles.comparison import shows
from reducer.ir import D, Document
from reducer.search.asker import Asker
from reducer.search.budget import Accounts, Budget, CandidateRuns, CostCounter
from reducer.search.budget import Stopped as Stopped
from reducer.search.candidate import Candidate, Verdict, canonical
from reducer.search.observers import Observers, OtherFailure
from reducer.search.query import Query, QueryChanges, Review, RunLimits, RunText
from reducer.search.running import GLANCE, Running
from reducer.search.screening import MAX_SCREENED_OPS, InvalidRates, Screen, ScreenedCandidates
from reducer.search.sequential import Rate, SequentialTest
from reducer.search.speculation import Plan, Speculation

OnRejected = Callable[[int, Verdict, Outcome], bool]
"""Called with the position and the result of an uninteresting candidate; True ends the search."""


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


class Evaluator:
    """Turns candidates into verdicts, as its `query` specifies.

    An evaluator is immutable. `with_` makes a view with a different query; all views share workers,
    cache and costs.
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
            speculation=Speculation(jobs),
        )

    def close(self) -> None:
        """Shut down the workers of all views."""
        self._shared.speculation.close()
        self._shared.pool.shutdown(wait=True, cancel_futures=True)

    # ---- views -----------------------------------------------------------------------------

    def with_(self, **changes: Unpack[QueryChanges]) -> "Evaluator":
        """A view with a changed query that shares everything else."""
        view = copy(self)
        view._query = replace(self._query, **changes)
        return view

    def aside(self, oracle: Oracle, target: Signature) -> "Evaluator":
        """A view that looks for another failure in programs that are not candidates for the result.

        It judges by the oracle alone, without screening or review, and observers are not called.
        """
        return self.with_(oracle=oracle, target=target, screen=None, review=None, is_observed=False)

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

    # ---- one candidate ---------------------------------------------------------------------

    def run(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
        *,
        trial: CandidateRuns | None = None,
    ) -> Outcome:
        """The outcome of one text, from the cache or from the oracle.

        With a sequential `test`, this is an outcome that represents several runs. The runs of a
        `trial` are not charged.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        test = self.query.test
        if test is None:
            return self.run_once(text, ops, cancel, trial=trial)
        rate, same, other = Rate(), None, None
        while (taken := test.decide(rate)) is None:
            outcome = self.run_once(text, ops, cancel, repetition=rate.runs, trial=trial)
            verdict = self.judge(outcome)
            if verdict in (Verdict.CANCELLED, Verdict.INVALID):
                return outcome  # parsers and verifiers are deterministic
            rate = rate.after(verdict is Verdict.SAME)
            if verdict is Verdict.SAME:
                same = same or outcome
            else:
                other = other or outcome
        found = same if taken else other
        assert found is not None, "no test is decided against all that it has seen"
        return found

    def fails(self, document: Document) -> bool:
        """Whether a document has the target failure."""
        return self.judge(self.run(document.text, document.op_count)) is Verdict.SAME

    @property
    def works_ahead(self) -> bool:
        """Whether there are workers for what will be asked about later."""
        return self._shared.jobs > 1 and self.query.test is None

    def prepare(self, document: Document, repetitions: Sequence[int] = (0,)) -> None:
        """Have idle workers run a document that will be asked about soon."""
        shared = self._shared
        if not self.works_ahead:
            return
        for repetition in repetitions:
            digest = self._digest(document.text, repetition)
            if self.cache.get(digest) is None:
                asker = self._asker(None)
                run = partial(asker.run_ahead, Candidate(document, ""))
                shared.speculation.pin(digest, run, asker.limits_now, spare=self._spare)

    def confirm(self, text: str, name: str, ops: int) -> Outcome:
        """Run the command once more on a text in a file of this name; no verdict is looked up."""
        key, limits = self._confirmation(text, name), self.query.scaled_limits
        outcome = self._shared.speculation.take(key, self.stop, limits)
        outcome = outcome or self._confirm(text, name, ops, self.stop, limits)
        self.costs.charged += 1
        return outcome

    def confirmed_ahead(self, text: str, name: str) -> Outcome | None:
        """The outcome of a confirmation that an idle worker has made or is making, if one is."""
        key, limits = self._confirmation(text, name), self.query.scaled_limits
        return self._shared.speculation.take(key, self.stop, limits)

    def prepare_confirmation(self, text: str, name: str, ops: int) -> None:
        """Have an idle worker confirm a text that will probably be the result."""
        if self.works_ahead:
            run = partial(self._confirm, text, name, ops)
            key, limits = self._confirmation(text, name), self.query.scaled_limits
            self._shared.speculation.pin(key, run, limits, spare=self._spare)

    def _confirmation(self, text: str, name: str) -> str:
        return f"confirm {self.oracle.key} {name} {outcome_digest(text)}"

    def _confirm(
        self, text: str, name: str, ops: int, cancel: threading.Event, limits: Limits
    ) -> Outcome:
        outcome = self.oracle.confirm(text, name, limits=limits, cancel=cancel)
        self._shared.accounts.enter_run(self.judge(outcome), outcome.cpu_seconds, ops)
        return outcome

    def foresee(self, plan: Plan[Any]) -> None:
        """Have idle workers start with what will be asked about soon, and go on meanwhile."""
        if self.works_ahead:
            self._shared.speculation.steer(
                plan, None, self._asker(None), spare=self._spare, until=lambda: False
            )

    @property
    def _spare(self) -> float:
        """How many runs the budget still allows."""
        return self.query.budget.calls_left(self.costs)

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
            Stopped: see `run`.
        """
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
            return self._reviewed(text, known, cancel)
        self.check(trial)
        ahead = self._shared.speculation.take(digest, cancel, query.scaled_limits)
        run = run or query.oracle.run
        outcome = ahead or run(text, cancel=cancel, limits=query.scaled_limits)
        if not outcome.cancelled:
            accounts.owe(digest)  # before the cache, or the run would seem free
            self.cache.put(digest, outcome, ops)
        reviewed = self._reviewed(text, outcome, cancel)
        if ahead is None:  # otherwise it has been counted
            accounts.enter_run(self.judge(reviewed), outcome.cpu_seconds, ops)
        if trial is None and not outcome.cancelled:
            self._charge([digest])
        if self.stop.is_set():
            raise Stopped("interrupted")
        return reviewed

    def _reviewed(self, text: str, outcome: Outcome, cancel: threading.Event) -> Outcome:
        """The outcome after the second check, if there is one and the first is passed.

        Only the first outcome is cached, since another view may have another review.
        """
        query = self.query
        if query.review is None or query.target is None:
            return outcome
        if not shows(query.target, outcome):
            return outcome
        return query.review.review(text, outcome, cancel=cancel)

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
        if outcome.cancelled:
            return Verdict.CANCELLED
        if self.target is None or shows(self.target, outcome):
            return Verdict.SAME
        if outcome.succeeded or outcome.kind.traits.undecided:
            return Verdict.NOT_INTERESTING
        if outcome.kind.traits.out_of_time:
            return Verdict.TIMEOUT
        if outcome.kind.traits.rejected or outcome.signature.stage == "input":
            return Verdict.INVALID
        return Verdict.OTHER_FAILURE

    def _judge_input(self, outcome: Outcome) -> Verdict:
        """Classify an outcome while it is not known yet what the failure is."""
        return Verdict.SAME if self.oracle.wants(outcome) else Verdict.NOT_INTERESTING

    # ---- many candidates -------------------------------------------------------------------

    def first_interesting(
        self,
        candidates: Iterable[Candidate[D]],
        base: Document | None = None,
        on_rejected: OnRejected | None = None,
        *,
        plan: Plan[D] | None = None,
    ) -> tuple[int, Candidate[D]] | None:
        """The first candidate in the given order that has the target failure, with its position.

        Args:
            base: the document the candidates were made from. If it is given and small, candidates
                that the compiler would reject are not run (see `screening`).
            on_rejected: called in the given order for each candidate judged before the interesting
                one; if it returns True, the search ends there with None.
            plan: what will be asked about, these candidates first, for workers that are ahead.

        Raises:
            Stopped: see `run`.
        """
        source = self._screened(iter(candidates), base)
        plan = plan if self.works_ahead else None
        places = self._shared.jobs if plan is None else 1
        running: list[Running[D]] = []
        withdrawn: list[Running[D]] = []
        try:
            while True:
                self._refill(source, running, places)
                if not running:
                    source.end()
                    return None
                head = running.pop(0)
                if plan is not None:
                    self._speculate(plan, head, base)
                verdict, outcome = head.judged()
                if plan is not None:
                    self._learn(head.candidate, plan.document, verdict, outcome.seconds)
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
        self, source: Iterator[tuple[int, Candidate[D]]], running: list[Running[D]], places: int
    ) -> None:
        while len(running) < places:
            item = next(source, None)
            if item is None:
                return
            position, candidate = item
            start = partial(self._submit, candidate)
            running.append(
                Running(position, candidate, start, self._charge, self.stop, ahead=len(running))
            )

    def _speculate(self, plan: Plan[D], head: Running[D], base: Document | None) -> None:
        """Keep idle workers busy until the candidate has been run."""
        speculation = self._shared.speculation
        if not speculation.pays:
            return
        head.notify(speculation.changed)
        digest, asker = self._digest(head.candidate.text), self._asker(base)

        def is_news() -> bool:
            return head.is_done or speculation.changed.is_set()

        while not head.is_done and not self.stop.is_set():
            spare = self._spare
            speculation.steer(plan, digest, asker, spare=spare, until=lambda: head.is_done)
            speculation.look_further(plan, digest, asker, spare=spare, until=is_news)
            while not speculation.changed.wait(GLANCE):
                if self.stop.is_set() or head.is_done:
                    break

    def _asker(self, base: Document | None) -> Asker:
        shared = self._shared
        return Asker(
            self.query,
            base,
            shared.rates,
            shared.accounts,
            shared.observers.on_verdict,
            self.cache,
            self.judge if self.target is not None else self._judge_input,
            self._digest,
        )

    def _learn(
        self, candidate: Candidate[Any], base: Document | None, verdict: Verdict, seconds: float
    ) -> None:
        digest, accepted = self._digest(candidate.text), verdict is Verdict.SAME
        self._shared.speculation.learn(candidate, digest, base, accepted=accepted, seconds=seconds)

    def _submit(
        self, candidate: Candidate[D], cancel: threading.Event, trial: CandidateRuns
    ) -> Future[tuple[Verdict, Outcome]]:
        if self._shared.jobs > 1:
            return self._shared.pool.submit(self._evaluate, candidate, cancel, trial)
        # Handing over to another thread and back may take longer than the run.
        done: Future[tuple[Verdict, Outcome]] = Future()
        try:
            done.set_result(self._evaluate(candidate, self.stop, trial))
        except BaseException as error:
            done.set_exception(error)
        return done

    def _evaluate(
        self, candidate: Candidate[D], cancel: threading.Event, trial: CandidateRuns
    ) -> tuple[Verdict, Outcome]:
        """The verdict on one candidate and the outcome it is based on."""
        outcome = self.run(candidate.text, candidate.document.op_count, cancel, trial=trial)
        verdict = self.judge(outcome)
        self._shared.observers.on_verdict(verdict, outcome)
        return verdict, outcome

    def _tell(self, candidate: Candidate[Any], verdict: Verdict, outcome: Outcome) -> None:
        """Notify the observers of a candidate that has been judged."""
        if not self.query.is_observed:
            return
        self._shared.observers.on_judged(candidate, verdict, outcome)
        if verdict is Verdict.OTHER_FAILURE:
            self._shared.observers.on_other_failure(
                OtherFailure(candidate.document, outcome, self.oracle)
            )

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
