"""A candidate on a worker, possibly before its turn to be judged."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic

from oracles.run.limits import Cancel
from reducer.ir import D
from reducer.search.budget import CandidateRuns, Stopped
from reducer.search.candidate import Candidate
from reducer.search.conditions import Judgment

GLANCE = 0.1  # seconds between checks for a stop request while a compiler runs

Start = Callable[[threading.Event, CandidateRuns], Future[Judgment]]
"""Start the candidate on a worker; the event cancels the run."""


class Running(Generic[D]):
    """A candidate handed to a worker, with `ahead` others before it."""

    def __init__(
        self,
        position: int,
        candidate: Candidate[D],
        start: Start,
        charge: Callable[[Sequence[str]], None],
        stop: threading.Event,
        *,
        ahead: int,
    ) -> None:
        self.position = position
        self.candidate = candidate
        self.cancel = Cancel()
        self._start = start
        self._charge = charge
        self._stop = stop
        self._hand_over(ahead)

    def judged(self) -> Judgment:
        """The judgment, once it is this candidate's turn; its runs are charged.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        try:
            found = self._finished()
        except Stopped as stopped:
            if stopped.reason != "budget" or not self._trial.ahead:
                raise
            self._hand_over(ahead=0)  # the runs it reserved for others were not needed
            found = self._finished()
        self._charge(self._trial.digests)
        return found

    @property
    def is_done(self) -> bool:
        """Whether the worker has finished."""
        return self._future.done()

    def notify(self, changed: threading.Event) -> None:
        """Set an event when the worker has finished."""
        self._future.add_done_callback(lambda _: changed.set())

    def settle(self) -> None:
        """Wait for the worker to finish, and ignore the result."""
        self._future.exception() if not self._future.cancel() else None

    def _hand_over(self, ahead: int) -> None:
        self._trial = CandidateRuns(ahead)
        self._future = self._start(self.cancel, self._trial)

    def _finished(self) -> Judgment:
        while not self._future.done():
            if self._stop.is_set():
                self.cancel.set()
            try:
                self._future.exception(timeout=GLANCE)
            except TimeoutError:
                continue
        return self._future.result()
