"""What follows once the result of a reduction stands, such as a reproducer for the failing pass.

Nothing here can spoil the result: what cannot be made is told in the end. A second reproducer is
reduced by the driver that has reduced the first one.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from oracles import Oracle
from reducer.driver.records.record import Report
from reducer.driver.settings import Listener, Settings
from reducer.driver.stage import Attempts
from reducer.storage.journal import Journal


class Reduce(Protocol):
    """The driver, which a stage may use for a program of its own (see `reduction.reduce_in`)."""

    def __call__(
        self,
        settings: Settings,
        oracle: Oracle,
        listener: Listener,
        stop: threading.Event,
        journal: Journal,
    ) -> Report:
        """Reduce another program, with what is cached in this journal.

        Raises:
            ReducerError: it cannot be reduced.
            Stopped: the run was ended before there was a result.
        """
        ...


@dataclass(frozen=True)
class Ended:
    """A reduction whose result is on disk.

    Attributes:
        report: its record so far.
        oracle: judges the result, with the command that is left.
        stop: is set if the user wants to stop.
        attempts: collects what cannot be made.
        reduce: reduces a program of a stage's own.
    """

    report: Report
    settings: Settings
    oracle: Oracle
    listener: Listener
    stop: threading.Event
    attempts: Attempts
    reduce: Reduce

    @property
    def is_worth_more(self) -> bool:
        """Whether there is a complete, verified result, which fails every time."""
        report = self.report
        return report.status == "reduced" and report.verified and report.flaky is None


@dataclass(frozen=True)
class Following:
    """A stage that follows: what it makes, in words, and the record with that."""

    makes: str
    run: Callable[[Ended], Report]

    def carry_out(self, ended: Ended) -> Report:
        """The record with what this stage has added, if it could."""
        changed = [ended.report]
        with ended.attempts.attempt(self.makes):
            changed.append(self.run(ended))
        return changed[-1]
