"""What a reduction spends, and how much of that it may spend."""

import math
import time
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
