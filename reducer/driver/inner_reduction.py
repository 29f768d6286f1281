"""Reduce a second reproducer by the engine that has reduced the first one."""

import math
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from oracles import Oracle
from reducer.driver.following import Reduce
from reducer.driver.record import Report
from reducer.driver.settings import Listener, Settings
from reducer.storage.journal import Journal, JournalNamespace


@dataclass(frozen=True)
class InnerReduction:
    """What all reductions of a second reproducer have in common.

    Attributes:
        source: the path of the program that is shown as their input.
        opt: the `…-opt` tool of the compiler under test.
        listener: receives their events.
        stop: ends them early.
        journal: that of the first reduction.
        reduce: the driver.
    """

    source: Path
    opt: Path
    listener: Listener
    stop: threading.Event
    journal: Journal
    reduce: Reduce
    jobs: int = 1
    keep_generic: bool = False

    def run(
        self, text: str, oracle: Oracle, section: str, *, calls: int, seconds: float, until: float
    ) -> Report:
        """Reduce a program in at most so many runs and CPU seconds, and until some time, noted in a
        section of the journal.

        Raises:
            ReducerError: it cannot be reduced.
            Stopped: the run was ended before there was a result.
        """
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            settings = Settings(
                input=self.source,
                text=text,
                output=Path(folder) / "reduced.mlir",
                journal=Path(folder) / "journal",
                opt=self.opt,
                jobs=self.jobs,
                keep_generic=self.keep_generic,
                keep_flags=True,  # these are of the pass alone
                comments=False,
                also_found=False,
                compares_degenerate=False,  # the input-level result decides
                max_calls=max(1, calls),
                max_seconds=None if until == math.inf else max(1e-3, until - time.monotonic()),
                max_cpu_seconds=max(1e-3, seconds),
            )
            noted = JournalNamespace(self.journal, section)
            return self.reduce(settings, oracle, self.listener, self.stop, noted)
