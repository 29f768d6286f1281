"""What a reduction has spent and how much it may spend."""

import math
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from reducer.search.candidate import Verdict


class Stopped(Exception):
    """The search must end now, keeping the best so far. `reason` is `budget` or `interrupted`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class CostCounter:
    """What a reduction has spent, excluding cached verdicts.

    `calls` counts all runs. `charged` counts those charged to the budget, which excludes
    speculative runs of candidates that were never judged.
    """

    calls: int = 0
    charged: int = 0
    cached: int = 0
    by_verdict: dict[str, int] = field(default_factory=dict)
    compiler_seconds: float = 0.0
    candidate_ops: int = 0

    def add(self, verdict: Verdict, seconds: float, ops: int) -> None:
        """Count a run; whether it is charged is decided elsewhere."""
        self.calls += 1
        self.by_verdict[verdict] = self.by_verdict.get(verdict, 0) + 1
        self.compiler_seconds += seconds
        self.candidate_ops += ops

    def add_probes(self, calls: int, seconds: float, ops: int) -> None:
        """Count runs that examine a failure and judge no candidate; each is given `ops` ops."""
        self.calls += calls
        self.charged += calls
        self.by_verdict["probe"] = self.by_verdict.get("probe", 0) + calls
        self.compiler_seconds += seconds
        self.candidate_ops += calls * ops


@dataclass
class Budget:
    """Limits on a reduction; None means no limit."""

    calls: int | None = None
    seconds: float | None = None
    cpu: float | None = None
    started: float = field(default_factory=time.monotonic)

    def is_spent(self, costs: CostCounter, reserved: int = 0) -> bool:
        """Whether at most `reserved` calls, or no time, is left."""
        if self.cpu is not None and costs.compiler_seconds >= self.cpu:
            return True
        return self.calls_left(costs) <= reserved or self.seconds_left <= 0

    @property
    def seconds_left(self) -> float:
        """The wall-clock seconds left; infinite without a limit."""
        if self.seconds is None:
            return math.inf
        return self.seconds - (time.monotonic() - self.started)

    def calls_left(self, costs: CostCounter) -> float:
        """The oracle calls left; infinite without a limit."""
        return math.inf if self.calls is None else self.calls - costs.charged


class Ledger:
    """Runs made by this process that are not charged yet, keyed by the hash of what was run.

    A worker may run a candidate before it is known whether that candidate will be judged. The run
    is charged when its verdict is first used, in order of preference, as if there were one worker.
    A budget thus ends the search at the same candidate for any number of workers. Runs of an
    earlier process are never charged.
    """

    def __init__(self) -> None:
        self._is_due: dict[str, bool] = {}

    def enter(self, digest: str) -> None:
        """Record a run. If two workers happen to make the same run at once, it is charged once."""
        self._is_due.setdefault(digest, True)

    def is_due(self, digest: str) -> bool:
        """Whether the run must be charged before its verdict counts as known."""
        return self._is_due.get(digest, False)

    def settle(self, digest: str) -> None:
        """Mark the run as charged."""
        self._is_due[digest] = False


@dataclass
class CandidateRuns:
    """The runs of a candidate whose turn to be judged has not come.

    `ahead` is the number of candidates before it; it leaves one run of the budget for each.
    `digests` are the hashes of its runs.
    """

    ahead: int
    digests: list[str] = field(default_factory=list)


class Accounts:
    """Thread-safe costs of all runs, with the runs that are still to be charged."""

    def __init__(self) -> None:
        self.costs = CostCounter()
        self._ledger = Ledger()
        self._lock = threading.Lock()

    def enter_run(self, verdict: Verdict, seconds: float, ops: int) -> None:
        """Record a run."""
        with self._lock:
            self.costs.add(verdict, seconds, ops)

    def enter_reuse(self) -> None:
        """Record that a cached verdict was used."""
        with self._lock:
            self.costs.cached += 1

    def owe(self, digest: str) -> None:
        """Mark the run with this hash to be charged when its verdict is first used."""
        self._ledger.enter(digest)

    def is_due(self, digest: str) -> bool:
        """Whether the run must be charged before its verdict counts as known."""
        return self._ledger.is_due(digest)

    def charge(self, digests: Iterable[str], budget: Budget) -> None:
        """Charge those of these runs that are due to the budget, in this order.

        Raises:
            Stopped: the budget does not allow one of them.
        """
        with self._lock:
            for digest in digests:
                if not self._ledger.is_due(digest):
                    continue
                if budget.calls_left(self.costs) <= 0:
                    raise Stopped("budget")
                self.costs.charged += 1
                self._ledger.settle(digest)

    def check(self, budget: Budget, trial: CandidateRuns | None = None) -> None:
        """Check that another run is affordable, for this `trial` if one is given.

        Raises:
            Stopped: the budget is spent.
        """
        with self._lock:
            reserved = 0
            if trial is not None:
                reserved = trial.ahead + sum(map(self._ledger.is_due, set(trial.digests)))
            if budget.is_spent(self.costs, reserved):
                raise Stopped("budget")
