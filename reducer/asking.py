"""Ask programs about texts, each question once: what every run of a tool goes through.

Whoever asks only says what a question is, and under which key its answer is remembered. How often
and how long programs run, who may end that, and what it has cost is the same for all.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from oracles import Limits, Oracle, Outcome, ProcessResult, run_process
from oracles.base import Cache
from oracles.run.limits import Reader


class Stopped(Exception):
    """Nothing more may be run, so keep what there is. `reason` is `budget` or `interrupted`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def while_affordable() -> Iterator[None]:
    """End the body of the `with` once the budget is spent: what there is is complete without it."""
    try:
        yield
    except Stopped as stopped:
        if stopped.reason != "budget":
            raise


@dataclass
class Cost:
    """What was spent, excluding what was remembered. Any thread may add to it.

    `calls` counts all runs. `charged` counts those charged to the budget, which excludes
    speculative runs that nobody asked about. `cached` counts the answers that took no run.
    """

    calls: int = 0
    charged: int = 0
    cached: int = 0
    cpu_seconds: float = 0.0
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    @property
    def wall_seconds(self) -> float:
        """The seconds that have passed since the first question could be asked."""
        return time.monotonic() - self.started

    def times(self) -> dict[str, float]:
        """CPU and wall seconds, by the names that they have in every `--json`."""
        times = {"cpu_seconds": self.cpu_seconds, "wall_seconds": self.wall_seconds}
        return {name: round(seconds, 3) for name, seconds in times.items()}

    def add(self, calls: int, cpu_seconds: float, *, charged: int | None = None) -> None:
        """Count runs and their CPU time; `charged` of the runs, by default all, are charged."""
        with self._lock:
            self.calls += calls
            self.charged += calls if charged is None else charged
            self.cpu_seconds += cpu_seconds


@dataclass(frozen=True)
class Budget:
    """How many runs, and how much CPU time, may be spent, and until when; None means no limit.

    `until` is on the monotonic clock.
    """

    calls: int | None = None
    cpu: float | None = None
    until: float = math.inf

    def calls_left(self, cost: Cost) -> float:
        """The calls left; infinite without a limit."""
        return math.inf if self.calls is None else self.calls - cost.charged

    def seconds_left(self, cost: Cost) -> float:
        """The CPU seconds left, infinite without a limit; 0 if the time is up."""
        if time.monotonic() >= self.until:
            return 0.0
        return math.inf if self.cpu is None else self.cpu - cost.cpu_seconds


class Memory(dict[str, Outcome]):
    """Outcomes that are remembered as long as this is."""

    def put(self, digest: str, outcome: Outcome, ops: int) -> None:
        self[digest] = outcome


class RunText(Protocol):
    """Runs a text as an oracle does."""

    def __call__(
        self, text: str, *, cancel: threading.Event | None, limits: Limits | None
    ) -> Outcome: ...


Ahead = Callable[[str, threading.Event, Limits], Outcome | None]
"""Gives the outcome of a run that was made, and counted, before anyone asked for its key."""


@dataclass(frozen=True)
class Asking:
    """Asks, within a budget. Thread-safe if the memory is.

    Attributes:
        memory: outcomes by key, such as a journal; None if they are not kept.
        limits: those of each run, unless a question has its own; by default, the oracle's.
        cancel: set to end what is running, and all further questions.
        ahead: looks for an outcome before anything is run.
    """

    memory: Cache | None = None
    budget: Budget = field(default_factory=Budget)
    limits: Limits | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    cost: Cost = field(default_factory=Cost)
    ahead: Ahead = lambda key, cancel, limits: None

    def check(self) -> None:
        """Check that another run is allowed.

        Raises:
            Stopped: the budget is spent, or `cancel` was set.
        """
        if self.cancel.is_set():
            raise Stopped("interrupted")
        if self.is_spent:
            raise Stopped("budget")

    @property
    def is_spent(self) -> bool:
        """Whether no call or no time is left."""
        return self.calls_left <= 0 or self.seconds_left <= 0

    @property
    def calls_left(self) -> float:
        """The calls left; infinite without a limit."""
        return self.budget.calls_left(self.cost)

    @property
    def seconds_left(self) -> float:
        """The CPU seconds left, infinite without a limit; 0 if the time is up."""
        return self.budget.seconds_left(self.cost)

    def known(self, key: str) -> Outcome | None:
        """The outcome that is remembered under a key; '' is what nothing is remembered under."""
        return self.memory.get(key) if self.memory is not None and key else None

    def ask(
        self,
        oracle: Oracle,
        text: str,
        key: str = "",
        *,
        ops: int = 0,
        limits: Limits | None = None,
        cancel: threading.Event | None = None,
        run: RunText | None = None,
    ) -> Outcome:
        """The outcome of a text, remembered or of a new run, which is remembered if it has ended.

        Args:
            key: changes with everything that the outcome depends on; '' to run it in any case.
            ops: how large the text is.
            cancel: ends this run only: the outcome is that it was cancelled.
            run: answers instead of the oracle, with the same outcome, such as a process that is
                already there.

        Raises:
            Stopped: the budget is spent, or the service's own `cancel` was set.
            OSError: the program cannot be started.
        """
        if (known := self.known(key)) is not None:
            self.cost.cached += 1
            return known
        self.check()
        cancel, limits = cancel or self.cancel, limits or self.limits or oracle.limits
        outcome = self.ahead(key, cancel, limits)
        if outcome is None:
            outcome = (run or oracle.run)(text, cancel=cancel, limits=limits)
            self.cost.add(int(not outcome.cancelled), outcome.cpu_seconds, charged=0)
        if not outcome.cancelled:
            self.cost.add(0, 0.0, charged=1)
            if self.memory is not None and key:
                self.memory.put(key, outcome, ops)
        if self.cancel.is_set():
            raise Stopped("interrupted")
        return outcome

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        *,
        limits: Limits | None = None,
        reader: Reader | None = None,
        charged: bool = True,
    ) -> ProcessResult:
        """Run any program in a folder.

        Args:
            charged: whether it counts as a run; what a tool says about itself does not, and may
                be asked at any time.

        Raises:
            Stopped: it is `charged`, and the budget is spent, or `cancel` was set.
        """
        if charged:
            self.check()
        limits = limits or self.limits or Limits()
        result = run_process(words, cwd=folder, limits=limits, cancel=self.cancel, reader=reader)
        self.cost.add(int(charged), result.cpu_seconds)
        if charged and self.cancel.is_set():
            raise Stopped("interrupted")
        return result
