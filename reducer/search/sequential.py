"""Sequential testing: how many runs a verdict on a flaky failure needs.

This is Wald's sequential probability ratio test ("Sequential Tests of Statistical Hypotheses",
1945): two failure rates are compared after every run, and the runs end as soon as one of them is
clearly the better explanation. A candidate that never fails is rejected after a few runs, and one
that fails as often as the input is accepted after a few more; no fixed number of runs does both.

Calculated for inputs that fail at these rates, in runs of a healthy candidate, and of one that
fails as often:

    80 %    3      6.5    98 % of these are accepted, and 0.4 % of those four times rarer
    60 %    4      9.1    96 %                        0.6 %
    40 %    8     15.5    96 %                        0.7 %
    20 %   18     30      93 %                        3.5 %
"""

import math
from dataclasses import dataclass, replace

MAX_RUNS = 50
"""The default maximum number of runs per verdict."""

_RATE_RATIO = 4  # reject a program that fails this many times less often than the input
_FALSE_ACCEPT_RATE = 0.01  # per candidate; a false accept slows down or breaks all later steps
_STRICT_RATIO = 2  # the same for results and where luck had a part…
_STRICT_FALSE_ACCEPTS = 0.03  # …such that five failures in as many runs are enough
_FALSE_REJECT_RATE = 0.05  # a false reject only makes the result larger


@dataclass(frozen=True)
class Rate:
    """The number of runs, and of those with the target failure."""

    failed: int = 0
    runs: int = 0

    def __str__(self) -> str:
        return f"{self.failed} of {self.runs} runs"

    def after(self, failed: bool) -> "Rate":
        """The rate after one more run."""
        return Rate(self.failed + failed, self.runs + 1)


@dataclass(frozen=True)
class SequentialTest:
    """Tests whether a program fails as often as the input (rate `usual`) or much less often.

    After `max_runs` runs, the better explanation wins, however small its advantage.

    Attributes:
        ratio: how many times less often a program fails that is rejected.
        false_accepts: how often such a program may be accepted.
    """

    usual: float
    max_runs: int = MAX_RUNS
    ratio: int = _RATE_RATIO
    false_accepts: float = _FALSE_ACCEPT_RATE

    @classmethod
    def after(cls, measured: Rate, max_runs: int = MAX_RUNS) -> "SequentialTest":
        """The test for programs that should fail at the rate measured on the input.

        Assumes a slightly lower rate: the measurement ended after enough failures, which biases it
        upward, and no finite number of runs makes a rate of 1 certain.
        """
        return cls(measured.failed / (measured.runs + 1), max_runs)

    @property
    def strict(self) -> "SequentialTest":
        """A test that also rejects programs that fail less than half as often."""
        return replace(self, ratio=_STRICT_RATIO, false_accepts=_STRICT_FALSE_ACCEPTS)

    @property
    def of_result(self) -> "SequentialTest":
        """The test for a result, which need not fail more than half as often as the input."""
        return replace(self.strict, usual=self.usual / 2)

    def decide(self, rate: Rate) -> bool | None:
        """True to accept a program, False to reject it, None to run it once more."""
        weight = self._weight(rate)
        if weight >= math.log((1 - _FALSE_REJECT_RATE) / self.false_accepts):
            return True
        if weight <= math.log(_FALSE_REJECT_RATE / (1 - self.false_accepts)):
            return False
        return weight > 0 if rate.runs >= self.max_runs else None

    def _weight(self, rate: Rate) -> float:
        """The log-likelihood ratio of the usual rate and the lower one."""
        rare = self.usual / self.ratio
        passed = rate.runs - rate.failed
        return rate.failed * math.log(self.usual / rare) + passed * math.log(
            (1 - self.usual) / (1 - rare)
        )
