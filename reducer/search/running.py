"""A candidate on a worker, perhaps before it is its turn to be judged."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic

from oracles import Outcome
from reducer.ir import D
from reducer.search.budget import Stopped, Trial
from reducer.search.candidate import Candidate, Verdict

_GLANCE = 0.1  # seconds between two looks at a request to stop, while a compiler runs

Start = Callable[[threading.Event, Trial], Future[tuple[Verdict, Outcome]]]
"""Has a worker run the candidate; the event cancels that."""


class Running(Generic[D]):
    """A candidate that was handed to a worker with so many others `ahead` of it."""

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
        self.cancel = threading.Event()
        self._start = start
        self._charge = charge
        self._stop = stop
        self._hand_over(ahead)

    def judged(self) -> tuple[Verdict, Outcome]:
        """The verdict, now that it is this one's turn; what it took is charged.

        Raises:
            Stopped: the budget is spent, or the user wants to stop.
        """
        try:
            found = self._finished()
        except Stopped as stopped:
            if stopped.reason != "budget" or not self._trial.ahead:
                raise
            self._hand_over(ahead=0)  # it has left runs to others who did not need them
            found = self._finished()
        self._charge(self._trial.digests)
        return found

    def settle(self) -> None:
        """Waits for the worker to let go; what it says no longer matters."""
        self._future.exception() if not self._future.cancel() else None

    def _hand_over(self, ahead: int) -> None:
        self._trial = Trial(ahead)
        self._future = self._start(self.cancel, self._trial)

    def _finished(self) -> tuple[Verdict, Outcome]:
        while not self._future.done():
            if self._stop.is_set():
                self.cancel.set()
            try:
                self._future.exception(timeout=_GLANCE)
            except TimeoutError:
                continue
        return self._future.result()
