"""What a reduction has spent."""

from dataclasses import dataclass, field

from reducer.asking import Cost
from reducer.search.candidate import Verdict


@dataclass
class CostCounter(Cost):
    """What a reduction has spent, excluding cached verdicts; `candidate_ops` sums up all runs."""

    by_verdict: dict[str, int] = field(default_factory=dict)
    candidate_ops: int = 0

    def add_run(self, verdict: Verdict, cpu_seconds: float, ops: int) -> None:
        """Count a run; it is charged when its outcome is first asked for."""
        self.add(1, cpu_seconds, charged=0)
        self.note(verdict, ops)

    def note(self, verdict: str, ops: int, calls: int = 1) -> None:
        """Note what runs that are counted have shown of programs with so many ops."""
        with self._lock:
            self.by_verdict[verdict] = self.by_verdict.get(verdict, 0) + calls
            self.candidate_ops += calls * ops

    def add_probes(self, cost: Cost, ops: int) -> None:
        """Count runs that examine a failure and judge no candidate; each is given `ops` ops."""
        self.add(cost.calls, cost.cpu_seconds)
        self.note("probe", ops, cost.calls)
