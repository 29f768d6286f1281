"""Who is told what a search does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oracles import Oracle, Outcome
from reducer.ir import Document
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import Judgment, Refused


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
