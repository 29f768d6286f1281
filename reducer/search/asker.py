"""How candidates are run before anyone has asked about them (see `speculation`)."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oracles import Limits, Outcome
from oracles.base import Cache
from reducer.ir import Document
from reducer.search.budget import CostCounter
from reducer.search.candidate import Candidate, Verdict
from reducer.search.plan import Answer
from reducer.search.query import Query
from reducer.search.screening import MAX_SCREENED_OPS, InvalidRates


class InvalidAhead(Exception):
    """The compiler would reject the candidate, so it was not run."""


@dataclass(frozen=True)
class Asker:
    """An evaluator as the runs ahead see it.

    Attributes:
        base: what the candidates are made from; None if they are not checked (see `screening`).
        on_verdict: called on a worker's thread.
        judge: the verdict on an outcome.
        digest: the hash of a question about a text.
    """

    query: Query
    base: Document | None
    rates: InvalidRates
    costs: CostCounter
    on_verdict: Callable[[Verdict, Outcome], None]
    cache: Cache
    judge: Callable[[Outcome], Verdict]
    digest: Callable[[str], str]

    @property
    def limits_now(self) -> Limits:
        """The limits of a run that starts now."""
        return self.query.scaled_limits

    def answer(self, digest: str, outcome: Outcome | None = None) -> Answer | None:
        """What this outcome, or the stored one, says; None if there is none."""
        outcome = outcome or self.cache.get(digest)
        if outcome is None:
            return None
        return Answer(self.judge(outcome), outcome.signature.bucket)

    def run_ahead(
        self, candidate: Candidate[Any], cancel: threading.Event, limits: Limits
    ) -> Outcome:
        """Run a candidate, on a worker's thread. Nothing but the cost is recorded.

        Raises:
            InvalidAhead: the compiler would reject it.
        """
        if self._is_rejected(candidate):
            raise InvalidAhead
        outcome = self.query.oracle.run(candidate.text, cancel=cancel, limits=limits)
        if not outcome.cancelled:
            verdict = self.judge(outcome)
            self.costs.add(verdict, outcome.cpu_seconds, candidate.document.op_count)
            self.on_verdict(verdict, outcome)
        return outcome

    def _is_rejected(self, candidate: Candidate[Any]) -> bool:
        screen = self.query.conditions.screen
        if screen is None or self.base is None:
            return False
        largest = max(self.base.op_count, candidate.document.op_count)
        if largest > MAX_SCREENED_OPS or not self.rates.is_worth_screening(candidate.origin):
            return False
        return not all(screen.passes([candidate.text], self.base.text))
