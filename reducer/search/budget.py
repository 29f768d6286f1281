"""What a reduction has spent and how much it may spend."""

import math
import threading
import time
from dataclasses import dataclass, field

from reducer.search.candidate import Verdict


class Stopped(Exception):
    """The search must end now, keeping the best so far. `reason` is `budget` or `interrupted`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class CostCounter:
    """What a reduction has spent, excluding cached verdicts. Any thread may add a run.

    `calls` counts all runs. `charged` counts those charged to the budget, which excludes
    speculative runs of candidates that were never judged.
    """

    calls: int = 0
    charged: int = 0
    cached: int = 0
    by_verdict: dict[str, int] = field(default_factory=dict)
    compiler_seconds: float = 0.0
    candidate_ops: int = 0

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def add(self, verdict: Verdict, seconds: float, ops: int) -> None:
        """Count a run; it is charged when its outcome is first asked for."""
        with self._lock:
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

    def is_spent(self, costs: CostCounter) -> bool:
        """Whether no call or no time is left."""
        if self.cpu is not None and costs.compiler_seconds >= self.cpu:
            return True
        return self.calls_left(costs) <= 0 or self.seconds_left <= 0

    @property
    def seconds_left(self) -> float:
        """The wall-clock seconds left; infinite without a limit."""
        if self.seconds is None:
            return math.inf
        return self.seconds - (time.monotonic() - self.started)

    def calls_left(self, costs: CostCounter) -> float:
        """The oracle calls left; infinite without a limit."""
        return math.inf if self.calls is None else self.calls - costs.charged
