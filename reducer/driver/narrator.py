"""Tell listeners what happens in a reduction, and write it into its history."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from oracles import Outcome
from reducer.driver.best import Best
from reducer.driver.records.history import HistoryRecorder, Spent
from reducer.driver.settings import Event, Listener, Message, Phase, Progress, Size, Tried
from reducer.driver.stage import costs_only
from reducer.errors import InternalError
from reducer.ir import Document
from reducer.search.candidate import Candidate, CostCounter, Verdict
from reducer.search.conditions import Judgment, Refused
from reducer.search.query import Observers, OtherFailure

HISTORY = "the history"


class Narrator:
    """Follows one reduction from its first run on.

    Attributes:
        size: that of the input, until there is a `best`.
        costs: those of the runs so far.
        cpu_seconds: returns the CPU seconds of all programs that were run.
        best: the best result, once there is one.
        recorder: keeps the history, once there is one.
        notes: remarks that also belong in the report.
        internal_errors: those so far, of all reductions that belong to this one.
        observers: those of the search.
    """

    def __init__(
        self,
        listener: Listener,
        size: Size,
        cpu_seconds: Callable[[], float],
        on_other_failure: Callable[[OtherFailure], None],
        internal_errors: list[InternalError],
    ) -> None:
        self.listener = listener
        self.size = size
        self.costs = CostCounter()
        self.cpu_seconds = cpu_seconds
        self.best: Best | None = None
        self.recorder: HistoryRecorder | None = None
        self.notes: list[str] = []
        self.internal_errors = internal_errors
        self.observers = Observers(
            self._on_verdict,
            lambda failure: self.apart("other failures", on_other_failure, failure),
            self._on_judged,
            self._on_refused,
        )
        self._lost: set[str] = set()
        self._started = time.monotonic()
        self._phase = ""

    @property
    def wall_seconds(self) -> float:
        """Since the reduction began."""
        return time.monotonic() - self._started

    @property
    def spent(self) -> Spent:
        """What the reduction has cost so far."""
        return Spent(self.costs.calls, self.cpu_seconds(), self.wall_seconds)

    def forget(self) -> None:
        """The reduction begins again, with another failure to preserve; its time goes on."""
        self.best = self.recorder = None
        self.notes.clear()

    def show(self, phase: str) -> None:
        """A stage begins."""
        if phase != self._phase:
            self._phase = phase
            if self.recorder is not None:
                self.apart(HISTORY, self.recorder.phase, phase)
            self.tell(Phase(phase))
            self._tell()

    def tell(self, event: Event) -> None:
        """Pass an event on."""
        self.apart("progress", self.listener, event)

    def say(self, text: str) -> None:
        """Tell the user something."""
        self.tell(Message(text))

    def note(self, text: str) -> None:
        """Say something that also belongs in the report."""
        self.notes.append(text)
        self.say(text)

    def go_on_without(self, error: InternalError) -> None:
        """Note that an internal error has cost a part of the work."""
        self.internal_errors.append(error)
        self.note(str(error))

    def apart(self, part: str, do: Callable[..., None], *values: Any) -> None:
        """Do what only follows the search. After an internal error, it goes on without this."""
        if part not in self._lost:
            self._lost.add(part)
            with costs_only(part, self.go_on_without):
                do(*values)
                self._lost.remove(part)

    def record(self, recorder: HistoryRecorder, best: Best) -> None:
        """From now on, there is a history of how the best result came about."""
        self.recorder = recorder
        recorder.phase(self._phase)
        best.on_accept = self._on_accept
        best.on_roll_back = partial(self.apart, HISTORY, recorder.rolled_back)

    def _on_accept(self, document: Document, size: Size, origin: str) -> None:
        if self.recorder is not None:
            self.apart(HISTORY, self.recorder.accepted, document, size, origin)
        self._tell()

    def _on_verdict(self, verdict: Verdict, outcome: Outcome) -> None:
        self._tell()

    def _on_judged(self, candidate: Candidate[Any], judgment: Judgment) -> None:
        verdict = judgment.verdict
        if self.recorder is not None:
            self.apart(HISTORY, self.recorder.judged, candidate, verdict)
        if verdict is Verdict.SAME:
            self._tell(Tried(candidate.origin, candidate.document.op_count))

    def _on_refused(self, refused: Refused) -> None:
        if self.recorder is not None:
            self.apart(HISTORY, self.recorder.refused, refused)
        self._tell(Tried(refused.origin, refused.ops, refused.refusal))

    def _tell(self, tried: Tried | None = None) -> None:
        costs, best = self.costs, self.best
        event = Progress(
            self._phase,
            best.size if best else self.size,
            costs.calls,
            costs.cached,
            self.cpu_seconds(),
            self.wall_seconds,
            costs.charged,
            best.program.accepted if best else None,
            tried,
        )
        self.tell(event)
