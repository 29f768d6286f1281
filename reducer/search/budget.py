"""What a reduction spends, and how much of that it may spend."""

import math
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from reducer.search.candidate import Verdict


class Stopped(Exception):
    """The search must end now; the best so far stands. `reason` is `budget` or `interrupted`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class Costs:
    """What a reduction has spent, cached verdicts left out.

    `calls` are all runs that were made. `charged` are those that count against a budget; it leaves
    out the speculative runs of candidates that were never judged.
    """

    calls: int = 0
    charged: int = 0
    cached: int = 0
    by_verdict: dict[str, int] = field(default_factory=dict)
    compiler_seconds: float = 0.0
    candidate_ops: int = 0

    def add(self, verdict: Verdict, seconds: float, ops: int) -> None:
        """A run that was made; whether it is charged is another question."""
        self.calls += 1
        self.by_verdict[verdict] = self.by_verdict.get(verdict, 0) + 1
        self.compiler_seconds += seconds
        self.candidate_ops += ops

    def add_probes(self, calls: int, seconds: float, ops: int) -> None:
        """Runs that look into a failure and judge no candidate; `ops` is what each was given."""
        self.calls += calls
        self.charged += calls
        self.by_verdict["probe"] = self.by_verdict.get("probe", 0) + calls
        self.compiler_seconds += seconds
        self.candidate_ops += calls * ops


@dataclass
class Budget:
    """Bounds on a reduction; None means no bound."""

    calls: int | None = None
    seconds: float | None = None
    started: float = field(default_factory=time.monotonic)

    def is_spent(self, costs: Costs, reserved: int = 0) -> bool:
        """Whether nothing is left beyond so many `reserved` calls."""
        return self.calls_left(costs) <= reserved or self.seconds_left <= 0

    @property
    def seconds_left(self) -> float:
        """Of wall time; infinite without a bound."""
        if self.seconds is None:
            return math.inf
        return self.seconds - (time.monotonic() - self.started)

    def calls_left(self, costs: Costs) -> float:
        """Infinite without a bound."""
        return math.inf if self.calls is None else self.calls - costs.charged


class Ledger:
    """Runs that were made here and are not charged yet, by the hash of what was run.

    A worker runs a candidate before it is known whether it will be judged. It is charged when its
    verdict is used for the first time: in the order of preference, as if there were one worker. So
    a budget ends the search at the same candidate for any number of workers. What an earlier
    process has run is never charged.
    """

    def __init__(self) -> None:
        self._is_due: dict[str, bool] = {}

    def enter(self, digest: str) -> None:
        """A run was made. One that is made again, by chance at the same time, is charged once."""
        self._is_due.setdefault(digest, True)

    def is_due(self, digest: str) -> bool:
        """Whether somebody has to be charged before the verdict counts as known."""
        return self._is_due.get(digest, False)

    def settle(self, digest: str) -> None:
        """The run is charged."""
        self._is_due[digest] = False


@dataclass
class Trial:
    """The runs of a candidate whose turn to be judged has not come.

    `ahead` is how many come before it: of what is left of the budget, it leaves one run for each.
    `digests` are the hashes of what it asked for.
    """

    ahead: int
    digests: list[str] = field(default_factory=list)


class Accounts:
    """What was spent, and who has to pay for it, kept together; safe to use from threads."""

    def __init__(self) -> None:
        self.costs = Costs()
        self._ledger = Ledger()
        self._lock = threading.Lock()

    def enter_run(self, verdict: Verdict, seconds: float, ops: int) -> None:
        """A run was made."""
        with self._lock:
            self.costs.add(verdict, seconds, ops)

    def enter_reuse(self) -> None:
        """A verdict was known already."""
        with self._lock:
            self.costs.cached += 1

    def owe(self, digest: str) -> None:
        """The run under this hash is to be charged as soon as its verdict is used."""
        self._ledger.enter(digest)

    def is_due(self, digest: str) -> bool:
        """Whether somebody has to be charged before the verdict counts as known."""
        return self._ledger.is_due(digest)

    def charge(self, digests: Iterable[str], budget: Budget) -> None:
        """Charges the budget for those of these runs that are due, in this order.

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

    def check(self, budget: Budget, trial: Trial | None = None) -> None:
        """Raises Stopped where nothing more may be spent, or nothing more on this trial."""
        with self._lock:
            reserved = 0
            if trial is not None:
                reserved = trial.ahead + sum(map(self._ledger.is_due, set(trial.digests)))
            if budget.is_spent(self.costs, reserved):
                raise Stopped("budget")
