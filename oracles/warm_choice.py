"""Is forking a warm compiler worth it here? Measured, not assumed.

What a fork saves is the start, the same time for every run, so its worth depends on the runs: half
of one that only parses, nothing to speak of where code is generated. A short reduction does not
even pay for the measuring. So runs are plain at first, and go warm when those of late were short.
"""

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Self

from oracles.limits import End, Limits, ProcessResult, Runner
from oracles.process import run_process
from oracles.warm import WarmCompiler

_FIRST_LOOK = 24  # runs; the next looks are after twice as many each
_WORTH_IT = 1.15
"""How many times faster runs must become to leave the beaten track."""

_TIMES = 3
_NO_WORK = "--version"


class EventuallyWarm:
    """Runs `executable` and its sibling tools as `run_process` does, later perhaps by forking."""

    def __init__(self, executable: Path, *, first_look: int = _FIRST_LOOK) -> None:
        self.saving: float | None = None
        """Seconds of a run that forking saves, wall and processor time added; None: unknown."""
        self._executable = str(executable.absolute())
        self._warm = WarmCompiler(executable)
        self._runner: Runner = run_process
        self._recent: list[float] = []
        self._next_look: float = first_look
        self._lock = threading.Lock()

    @property
    def is_warm(self) -> bool:
        """Whether runs are forked from now on."""
        return self._runner is self._warm

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> ProcessResult:
        """As `run_process`. Raises OSError when the program cannot be started."""
        runner = self._runner
        result = runner(argv, cwd=cwd, limits=limits, cancel=cancel)
        if runner is run_process and result.end is End.EXITED and self._note(result):
            self._look(cwd, limits, cancel)
        return result

    def close(self) -> None:
        """Ends what was started; harmless when repeated."""
        self._warm.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _note(self, result: ProcessResult) -> bool:
        """Whether it is time for a look; only one thread is told so."""
        with self._lock:
            self._recent.append(_cost(result))
            if len(self._recent) < self._next_look:
                return False
            self._next_look *= 2
            return True

    def _look(self, cwd: Path, limits: Limits, cancel: threading.Event | None) -> None:
        if self.saving is None:
            self.saving = self._measure(cwd, limits, cancel)
        if self.saving is None:
            return
        with self._lock:
            usual = median(self._recent)
            self._recent.clear()
        if usual >= _WORTH_IT * (usual - self.saving):
            self._runner = self._warm

    def _measure(self, cwd: Path, limits: Limits, cancel: threading.Event | None) -> float | None:
        """What forking saves of a run that does nothing; None if such runs are not the same."""
        costs: dict[bool, list[float]] = {False: [], True: []}
        for turn in range(_TIMES + 1):
            texts = set()
            for is_warm, runner in ((False, run_process), (True, self._warm)):
                result = runner([self._executable, _NO_WORK], cwd=cwd, limits=limits, cancel=cancel)
                if result.end is not End.EXITED:
                    return None  # perhaps cancelled: the next look will tell
                texts.add((result.exit_code, result.stdout, result.stderr))
                if turn > 0:  # the first has to start the server
                    costs[is_warm].append(_cost(result))
            if len(texts) > 1 or not self._warm.warm_runs:
                self._next_look = math.inf
                return None
        return median(costs[False]) - median(costs[True])


def _cost(result: ProcessResult) -> float:
    """Wall and processor seconds count alike: runs may share the cores with others."""
    return result.seconds + result.cpu_seconds
