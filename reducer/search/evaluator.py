"""Judge candidates, several at once, independently of the number of workers.

Candidates are given in order of preference. The first interesting one in that order wins; later
ones that are already running are cancelled and not charged to the budget.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from oracles import Limits, Outcome
from oracles.base import outcome_digest
from reducer.ir import D, Document
from reducer.search.asker import Asker
from reducer.search.budget import CandidateRuns
from reducer.search.budget import Stopped as Stopped
from reducer.search.candidate import Candidate, Verdict, is_readable
from reducer.search.conditions import UNREADABLE, Judgment, Refused
from reducer.search.observers import OtherFailure
from reducer.search.plan import Errand, Plan
from reducer.search.running import GLANCE, Running
from reducer.search.runs import Runs
from reducer.search.screening import MAX_SCREENED_OPS, ScreenedCandidates

OnRejected = Callable[[int, Verdict, Outcome], bool]
"""Called with the position and the result of an uninteresting candidate; True ends the search."""


_LOOKED_INTO = (Verdict.SAME, Verdict.OTHER_FAILURE)
"""The verdicts on programs that are used further."""


class Evaluator(Runs):
    """Judges candidates, and has idle workers run what will be asked about later."""

    # ---- the printed command --------------------------------------------------------------------

    def confirm(self, text: str, name: str, ops: int) -> Outcome:
        """Run the command once more on a text in a file of this name; no verdict is looked up."""
        key, limits = self._confirmation(text, name), self.query.scaled_limits
        outcome = self._shared.speculation.take(key, self.stop, limits)
        outcome = outcome or self._confirm(text, name, ops, self.stop, limits)
        self.costs.charged += 1
        return outcome

    def _confirm(
        self, text: str, name: str, ops: int, cancel: threading.Event, limits: Limits
    ) -> Outcome:
        outcome = self.oracle.confirm(text, name, limits=limits, cancel=cancel)
        self._shared.accounts.enter_run(self.judge(outcome), outcome.cpu_seconds, ops)
        return outcome

    def _confirmation(self, text: str, name: str) -> str:
        return f"confirm {self.oracle.key} {name} {outcome_digest(text)}"

    # ---- working ahead --------------------------------------------------------------------------

    @property
    def works_ahead(self) -> bool:
        """Whether there are workers for what will be asked about later."""
        return self._shared.jobs > 1 and self.query.test is None

    def prepare(
        self, document: Document, repetitions: Sequence[int] = (0,), *, urgent: bool = False
    ) -> None:
        """Have idle workers run a document that will be asked about soon.

        If it is `urgent`, nothing else is asked before it, so a busy worker drops a run that may
        never be needed.
        """
        shared = self._shared
        if not self.works_ahead:
            return
        for repetition in repetitions:
            digest = self._digest(document.text, repetition)
            if self.cache.get(digest) is None:
                asker = self._asker(None)
                run = partial(asker.run_ahead, Candidate(document, ""))
                shared.speculation.pin(
                    digest, run, asker.limits_now, spare=self._spare, urgent=urgent
                )

    def prepare_errand(self, errand: Errand) -> None:
        """Have an idle worker do what will probably be asked for."""
        if self.works_ahead:
            limits = self.query.scaled_limits
            self._shared.speculation.pin(errand.key, errand.run, limits, spare=self._spare)

    def finish_ahead(self, errand: Errand) -> None:
        """Wait until this has ended, if an idle worker is doing it."""
        self._shared.speculation.take(errand.key, self.stop, self.query.scaled_limits)

    def confirmation(self, text: str, name: str, ops: int) -> Errand:
        """The run that `confirm` asks for."""
        return Errand(self._confirmation(text, name), partial(self._confirm, text, name, ops))

    def repetition(self, document: Document, number: int) -> Errand:
        """A run of a document that was run before, as `run_once` asks for it."""
        run = partial(self._asker(None).run_ahead, Candidate(document, ""))
        return Errand(self._digest(document.text, number), run)

    def confirmed_ahead(self, text: str, name: str) -> Outcome | None:
        """The outcome of a confirmation that an idle worker has made or is making, if one is."""
        key, limits = self._confirmation(text, name), self.query.scaled_limits
        return self._shared.speculation.take(key, self.stop, limits)

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

    # ---- many candidates ------------------------------------------------------------------------

    def first_interesting(
        self,
        candidates: Iterable[Candidate[D] | Refused],
        base: Document | None = None,
        on_rejected: OnRejected | None = None,
        *,
        plan: Plan[D] | None = None,
    ) -> tuple[int, Candidate[D]] | None:
        """The first candidate in the given order that has the target failure, with its position.

        What was refused when it was made has no position; it is told to the observers in its turn.

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
                judgment = self._settled(head)
                verdict, outcome = judgment.verdict, judgment.outcome
                if plan is not None:
                    digest = self._digest(head.candidate.text)
                    self._shared.speculation.learn(
                        head.candidate, digest, plan.document, verdict, outcome
                    )
                late = source.settle(head.position, invalid=verdict is Verdict.INVALID)
                for task in [task for task in running if task.position in late]:
                    task.cancel.set()
                    running.remove(task)
                    withdrawn.append(task)
                self._tell(head.candidate, judgment)
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
        self, candidates: Iterator[Candidate[D] | Refused], base: Document | None
    ) -> ScreenedCandidates[D]:
        fits = base is not None and base.op_count <= MAX_SCREENED_OPS
        screen = self.query.conditions.screen if fits else None
        return ScreenedCandidates(
            candidates, screen, base, self._shared.rates, self._is_known, self.refuse
        )

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

    def _submit(
        self, candidate: Candidate[D], cancel: threading.Event, trial: CandidateRuns
    ) -> Future[Judgment]:
        if self._shared.jobs > 1:
            return self._shared.pool.submit(self._evaluate, candidate, cancel, trial)
        # Handing over to another thread and back may take longer than the run.
        done: Future[Judgment] = Future()
        try:
            done.set_result(self._evaluate(candidate, self.stop, trial))
        except BaseException as error:
            done.set_exception(error)
        return done

    def _evaluate(
        self, candidate: Candidate[D], cancel: threading.Event, trial: CandidateRuns
    ) -> Judgment:
        """The judgment of one candidate."""
        judgment = self.judged(candidate.text, candidate.document.op_count, cancel, trial=trial)
        self._shared.observers.on_verdict(judgment.verdict, judgment.outcome)
        return judgment

    def _settled(self, head: Running[Any]) -> Judgment:
        """The judgment of a candidate whose turn it is. What nobody can edit further is invalid."""
        judgment = head.judged()
        if judgment.verdict in _LOOKED_INTO and not is_readable(head.candidate.document):
            return Judgment(Verdict.INVALID, judgment.outcome, UNREADABLE)
        return judgment

    def refuse(self, refused: Refused) -> None:
        """Notify the observers of a candidate that does not become, or remain, the best."""
        if self.query.is_observed:
            self._shared.observers.on_refused(refused)

    def _tell(self, candidate: Candidate[Any], judgment: Judgment) -> None:
        """Notify the observers of a candidate that has been judged."""
        if not self.query.is_observed:
            return
        self._shared.observers.on_judged(candidate, judgment)
        if judgment.refusal is not None:
            self.refuse(Refused(candidate.origin, judgment.refusal, candidate.document.op_count))
        if judgment.verdict is Verdict.OTHER_FAILURE:
            self._shared.observers.on_other_failure(
                OtherFailure(candidate.document, judgment.outcome, self.oracle)
            )

    # ---- speculation ----------------------------------------------------------------------------

    def _speculate(self, plan: Plan[D], head: Running[D], base: Document | None) -> None:
        """Keep idle workers busy until the candidate has been run."""
        speculation = self._shared.speculation
        if not speculation.pays:
            return
        head.notify(speculation.changed)
        digest, asker = self._digest(head.candidate.text), self._asker(base)
        while not head.is_done and not self.stop.is_set():
            speculation.steer(plan, digest, asker, spare=self._spare, until=lambda: head.is_done)
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

    def _judge_input(self, outcome: Outcome) -> Verdict:
        """Classify an outcome while it is not known yet what the failure is."""
        return Verdict.SAME if self.oracle.wants(outcome) else Verdict.NOT_INTERESTING
