"""Is forking a warm compiler faster here than starting it? Measured, not assumed."""

import copy
import threading
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Self

from oracles.compiler import CompilerOracle
from oracles.kind import Kind
from oracles.limits import Runner
from oracles.outcome import Outcome
from oracles.process import run_process
from oracles.warm import WarmCompiler

_WORTH_IT = 1.15
"""How many times faster it must be to leave the beaten track."""


@dataclass(frozen=True)
class Cost:
    """Medians of one run, in seconds."""

    wall: float
    cpu: float

    @classmethod
    def of(cls, outcomes: list[Outcome]) -> Self:
        """Of several runs."""
        return cls(median(o.seconds for o in outcomes), median(o.cpu_seconds for o in outcomes))

    @property
    def total(self) -> float:
        """Wall and processor time count alike: runs may share cores with other runs."""
        return self.wall + self.cpu


@dataclass(frozen=True)
class Choice:
    """What will run the compiler, and what was measured; `warm` is None if it cannot be warm."""

    runner: Runner
    plain: Cost
    warm: Cost | None
    close: Callable[[], None]
    """Call it when the runner is not needed any more."""

    @property
    def is_warm(self) -> bool:
        return self.runner is not run_process

    @property
    def gain(self) -> float:
        """How many times faster warm runs are; 1 if there are none."""
        return self.plain.total / self.warm.total if self.warm and self.warm.total else 1.0


def choose_runner(
    oracle: CompilerOracle,
    text: str,
    *,
    runs: int = 3,
    cancel: threading.Event | None = None,
) -> Choice:
    """Runs `text`, which should be small, `runs` times in either way, in turns.

    Warm runs are chosen if they are clearly faster and all outcomes are the same. Raises OSError
    when the compiler cannot be started.
    """
    warm = WarmCompiler(oracle.executable)
    try:
        return _measured(oracle, warm, text, runs, cancel)
    except BaseException:
        warm.close()
        raise


def _measured(
    oracle: CompilerOracle,
    warm: WarmCompiler,
    text: str,
    runs: int,
    cancel: threading.Event | None,
) -> Choice:
    plainly, warmly = _run_by(oracle, run_process), _run_by(oracle, warm)
    plain, warmed = [], []
    for turn in range(runs + 1):
        outcome = plainly.run(text, cancel=cancel)
        other = warmly.run(text, cancel=cancel)
        if turn > 0:  # the first has to start the server, and to read the disk
            plain.append(outcome)
            warmed.append(other)
        if not warm.warm_runs or not _agree(outcome, other):
            warm.close()
            return Choice(run_process, Cost.of([outcome]), None, warm.close)
    choice = Choice(warm, Cost.of(plain), Cost.of(warmed), warm.close)
    if choice.gain >= _WORTH_IT:
        return choice
    warm.close()
    return Choice(run_process, choice.plain, choice.warm, warm.close)


def _run_by(oracle: CompilerOracle, runner: Runner) -> CompilerOracle:
    same = copy.copy(oracle)
    same.runner = runner
    return same


def _agree(plain: Outcome, warm: Outcome) -> bool:
    if Kind.CANCELLED in (plain.kind, warm.kind):
        return False
    return (plain.signature, plain.exit_code) == (warm.signature, warm.exit_code)
