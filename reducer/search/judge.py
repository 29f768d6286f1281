"""Judge candidates one after another, while idle workers run what will be asked about later.

Candidates are given in order of preference, and the first interesting one in that order wins. What
was run ahead only counts when its turn comes, so the answer is the same for any number of workers.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial
from typing import Any, Self

from oracles import Limits, Outcome
from oracles.base import outcome_digest
from oracles.run.limits import Cancel
from reducer.asking import Stopped as Stopped
from reducer.ir import D, Document
from reducer.search.candidate import Candidate, Verdict, is_readable
from reducer.search.conditions import Judgment, Refused, too_rare, unreadable
from reducer.search.foresight import Asker
from reducer.search.plan import Choices, Errand, Once, Plan, RunAhead
from reducer.search.query import OtherFailure
from reducer.search.runs import Runs
from reducer.search.screening import MAX_SCREENED_OPS, ScreenedCandidates
from reducer.search.sequential import Rate

OnRejected = Callable[[int, Verdict, Outcome], bool]
"""Called with the position and the result of an uninteresting candidate; True ends the search."""


_GLANCE = 0.1  # seconds between checks for a stop request while a compiler runs
_LOOKED_INTO = (Verdict.SAME, Verdict.OTHER_FAILURE)
"""The verdicts on programs that are used further."""


class Judge(Runs):
    """Judges candidates, and has idle workers run what will be asked about later."""

    # ---- verdicts --------------------------------------------------------------------------------

    def run(
        self,
        text: str,
        ops: int,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """The outcome of one text: see `judged`."""
        return self.judged(text, ops, cancel).outcome

    def judged(self, text: str, ops: int, cancel: threading.Event | None = None) -> Judgment:
        """The judgment of one text, whose outcome is from the cache or from the oracle.

        With a sequential `test`, the outcome represents several runs.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        test = self.query.test
        if test is None:
            return self.judged_once(text, ops, cancel)
        rate, same, other = Rate(), None, None
        run, jobs = partial(self._run_ahead, text, ops), self._shared.jobs
        ahead: list[str] = []
        try:
            while (taken := test.decide(rate)) is None:
                ahead = self._run_soon(text, range(rate.runs + 1, rate.runs + jobs), run)
                latest = self.judged_once(text, ops, cancel, repetition=rate.runs)
                if latest.verdict in (Verdict.CANCELLED, Verdict.INVALID):
                    return latest  # parsers and verifiers are deterministic
                rate = rate.after(latest.verdict is Verdict.SAME)
                if latest.verdict is Verdict.SAME:
                    same = same or latest
                else:
                    other = other or latest
        finally:
            self._shared.speculation.drop(ahead)
        judgment = same if taken else other
        assert judgment is not None, "no test is decided against all that it has seen"
        if taken:
            return self.with_(test=None)._judgment(text, judgment.outcome, cancel or self.stop)
        return judgment if same is None else replace(judgment, refusal=too_rare(rate))

    def fails(self, document: Document) -> bool:
        """Whether a document has the target failure."""
        return self.judged(document.text, document.op_count).verdict is Verdict.SAME

    def _run_ahead(self, text: str, ops: int, cancel: threading.Event, limits: Limits) -> Outcome:
        outcome = self.oracle.run(text, cancel=cancel, limits=limits)
        if not outcome.cancelled:
            self.costs.add_run(self.verdict_of(outcome), outcome.cpu_seconds, ops)
        return outcome

    # ---- the printed command --------------------------------------------------------------------

    def confirm(self, text: str, name: str, ops: int) -> Outcome:
        """Run the command once more on a text in a file of this name; no verdict is looked up."""
        key, limits = self._confirmation(text, name), self.query.scaled_limits
        outcome = self._shared.speculation.take(key, self.stop, limits)
        outcome = outcome or self._confirm(text, name, ops, self.stop, limits)
        self.costs.add(0, 0.0, charged=1)
        return outcome

    def _confirm(
        self, text: str, name: str, ops: int, cancel: threading.Event, limits: Limits
    ) -> Outcome:
        outcome = self.oracle.confirm(text, name, limits=limits, cancel=cancel)
        self.costs.add_run(self.verdict_of(outcome), outcome.cpu_seconds, ops)
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
        if self.works_ahead:
            run = partial(self._asker(None).run_ahead, Candidate(document, ""))
            self._run_soon(document.text, repetitions, run, urgent=urgent)

    def _run_soon(
        self, text: str, repetitions: Sequence[int], run: RunAhead, *, urgent: bool = False
    ) -> list[str]:
        """Have idle workers make those of these runs that are not known; the hashes of all."""
        digests = [self._digest(text, repetition) for repetition in repetitions]
        for digest in digests:
            if self.cache.get(digest) is None:
                self._shared.speculation.pin(
                    digest, run, self.query.scaled_limits, spare=self._spare, urgent=urgent
                )
        return digests

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
        plan: Plan[Any] | None = None,
    ) -> tuple[int, Candidate[D]] | None:
        """The first candidate in the given order that has the target failure, with its position.

        What was refused when it was made has no position; it is told to the observers in its turn.

        Args:
            base: the document the candidates were made from. If it is given and small, candidates
                that the compiler would reject are not run (see `screening`).
            on_rejected: called in the given order for each candidate judged before the interesting
                one; if it returns True, the search ends there with None.
            plan: what will be asked about, these candidates first, for workers that are ahead; by
                default, these candidates and nothing after them.

        Raises:
            Stopped: see `run`.
        """
        if plan is None and base is not None:
            plan = Choices(base, candidates := Once(candidates))
        source = self._screened(iter(candidates), base)
        try:
            for position, candidate in source:
                judgment = self._judged_in_turn(candidate, plan, base)
                verdict, outcome = judgment.verdict, judgment.outcome
                source.settle(candidate, invalid=verdict is Verdict.INVALID)
                self._tell(candidate, judgment)
                if verdict is Verdict.SAME:
                    return position, candidate
                if on_rejected is not None and on_rejected(position, verdict, outcome):
                    return None
            return None
        finally:
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

    def _judged_in_turn(
        self, candidate: Candidate[D], plan: Plan[Any] | None, base: Document | None
    ) -> Judgment:
        """The judgment of a candidate whose turn it is. What nobody can edit further is invalid."""
        speculation = self._shared.speculation
        if plan is None or not self.works_ahead:
            judgment = self._judgment_of(candidate, self.stop)
        else:
            judgment = self._judged_beside_others(candidate, plan, base)
            digest = self._question(candidate)
            speculation.learn(candidate, digest, plan.document, judgment.verdict, judgment.outcome)
        if judgment.verdict in _LOOKED_INTO and not is_readable(candidate.document):
            return Judgment(Verdict.INVALID, judgment.outcome, unreadable())
        return judgment

    def _judged_beside_others(
        self, candidate: Candidate[D], plan: Plan[Any], base: Document | None
    ) -> Judgment:
        """Judge a candidate on a worker, and keep the idle ones busy until that is done."""
        speculation, cancel = self._shared.speculation, Cancel()
        head = self._shared.head.submit(self._judgment_of, candidate, cancel)
        try:
            if speculation.pays:
                head.add_done_callback(lambda _: speculation.changed.set())
                self._speculate(plan, head, self._question(candidate), self._asker(base))
            while not head.done() and not self.stop.is_set():
                wait([head], timeout=_GLANCE)
        finally:
            cancel.set()  # nothing happens if it has ended
            wait([head])
        return head.result()

    def _judgment_of(self, candidate: Candidate[D], cancel: threading.Event) -> Judgment:
        """The judgment of one candidate."""
        text, ops = candidate.text, candidate.document.op_count
        judgment = self._for(candidate).judged(text, ops, cancel)
        self._shared.observers.on_verdict(judgment.verdict, judgment.outcome)
        return judgment

    def _for(self, candidate: Candidate[Any]) -> Self:
        """The view that runs a candidate."""
        return self if candidate.oracle is None else self.with_(oracle=candidate.oracle)

    def _question(self, candidate: Candidate[Any]) -> str:
        """The hash under which the outcome of a candidate is cached."""
        return self._for(candidate)._digest(candidate.text)

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
        if judgment.verdict is Verdict.OTHER_FAILURE and candidate.oracle is None:
            self._shared.observers.on_other_failure(
                OtherFailure(candidate.document, judgment.outcome, self.oracle)
            )

    # ---- speculation ----------------------------------------------------------------------------

    def _speculate(
        self, plan: Plan[Any], head: Future[Judgment], digest: str, asker: Asker
    ) -> None:
        """Keep idle workers busy until the head of a plan has been run."""
        speculation = self._shared.speculation
        while not head.done() and not self.stop.is_set():
            speculation.steer(plan, digest, asker, spare=self._spare, until=head.done)
            while not speculation.changed.wait(_GLANCE):
                if self.stop.is_set() or head.done():
                    break

    def _asker(self, base: Document | None) -> Asker:
        shared = self._shared
        return Asker(
            self.query,
            base,
            shared.rates,
            shared.costs,
            shared.observers.on_verdict,
            self.cache,
            self.verdict_of if self.target is not None else self._judge_input,
            self._question,
        )

    def _judge_input(self, outcome: Outcome) -> Verdict:
        """Classify an outcome while it is not known yet what the failure is."""
        return Verdict.SAME if self.oracle.wants(outcome) else Verdict.NOT_INTERESTING
