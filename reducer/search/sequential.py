"""How many runs a verdict needs where a failure comes and goes.

Wald's sequential probability ratio test ("Sequential Tests of Statistical Hypotheses", 1945): two
rates are weighed against each other after every run, and the runs end as soon as one of them is
clearly the better explanation. A candidate that never fails is turned down after a few runs, and
one that fails as often as the input is taken after a few more; no fixed number does both.
"""

import math
from dataclasses import dataclass

MAX_RUNS = 50
"""For one verdict, unless the user says otherwise."""

_RATE_RATIO = 4  # a program that fails so many times less often than the input is not taken
_FALSE_ACCEPT_RATE = 0.01  # per candidate; each one taken would slow down, or end, all that follows
_FALSE_REJECT_RATE = 0.05  # costs size only


@dataclass(frozen=True)
class Rate:
    """How many of some runs failed in the wanted way."""

    failed: int = 0
    runs: int = 0

    def __str__(self) -> str:
        return f"{self.failed} of {self.runs} runs"

    def after(self, failed: bool) -> "Rate":
        """The rate with one more run."""
        return Rate(self.failed + failed, self.runs + 1)


@dataclass(frozen=True)
class SequentialTest:
    """Does a program fail as often as the input (`usual`, between 0 and 1), or much less often?

    After `most_runs` runs the better explanation wins, however little better it is.
    """

    usual: float
    max_runs: int = MAX_RUNS

    @classmethod
    def after(cls, measured: Rate, max_runs: int = MAX_RUNS) -> "SequentialTest":
        """The test for programs that should fail as often as was measured on the input.

        The rate is taken a little lower: runs were counted until enough of them had failed, and
        the result of no finite number of runs is certain.
        """
        return cls(measured.failed / (measured.runs + 1), max_runs)

    def decide(self, rate: Rate) -> bool | None:
        """True to take a program, False to turn it down, None to run it once more."""
        weight = self._weight(rate)
        if weight >= math.log((1 - _FALSE_REJECT_RATE) / _FALSE_ACCEPT_RATE):
            return True
        if weight <= math.log(_FALSE_REJECT_RATE / (1 - _FALSE_ACCEPT_RATE)):
            return False
        return weight > 0 if rate.runs >= self.max_runs else None

    def _weight(self, rate: Rate) -> float:
        """The logarithm of how much better the usual rate explains the runs than a rarer one."""
        rare = self.usual / _RATE_RATIO
        passed = rate.runs - rate.failed
        return rate.failed * math.log(self.usual / rare) + passed * math.log(
            (1 - self.usual) / (1 - rare)
        )
