"""Measure the time that counts towards the limit of a run: it could go on, and we watched.

A run on a busy machine, or one that was stopped, takes longer, and is no hang. So these are left
out of the time that has passed:

- *Time in which nobody watched*, because this process was stopped (Ctrl-Z), or the whole machine
  was. Each wait for the program has an end, and what is later than that was not waited for.
- *Time in which the program waited for a processor.* The kernel tells for each thread how long it
  has run, and how long it could have run but did not. Threads of one program that wait for each
  other are no load, nor do many of them make it one: what counts is how much less they got together
  than the machine has for them. A program that sleeps, as in a deadlock, does not wait.
- *Time in which the program was stopped*, by whomever.

The latter two are left out up to `BUSIEST - 1` times the limit, so a run ends after `BUSIEST` times
its limit at the latest: one that is always stopped, or a hang on a machine that is busier.

Processes that have ended do not tell any more. While short ones follow each other, as under a
script, the one that is there when we look stands for those since the last look.
"""

import os
import time
from collections.abc import Sequence

from oracles.run.procfs import Process

BUSIEST = 10
"""The wall time of a run, in multiples of its limit, after which it ends on any machine."""

_LATE = 0.05  # seconds; any process is late by so much
_IDLE = 0.01  # the share of time that even a stopped program runs
_RESOLUTION = 0.02  # seconds of the age of a process
_STOPPED = frozenset("Tt")


class RunClock:
    """Counts the seconds of one run, from its start; leaves out at most `most` for the machine."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._left_out = 0.0
        self._started = self._now = time.monotonic()
        self._watched = 0.0
        self._looked = self._now, 0.0
        self._threads: dict[tuple[int, int], tuple[int, int]] = {}
        self._was_stopped = False

    @property
    def seconds(self) -> float:
        """The seconds that count; some of those since the last look may turn out not to."""
        return self._watched - self._left_out

    @property
    def unwatched(self) -> float:
        """The seconds that passed without anybody watching."""
        return self._now - self._started - self._watched

    def waited(self, meant: float) -> None:
        """Note that time has passed since the last call; it was to be so much, in seconds."""
        now = time.monotonic()
        self._watched += min(now - self._now, meant + _LATE)
        self._now = now

    def look(self, processes: Sequence[Process]) -> None:
        """Leave out time since the last look in which these, all of the run, could not go on."""
        (before, watched), self._looked = self._looked, (self._now, self._watched)
        threads_before, self._threads = self._threads, {}
        for process in processes:
            self._threads |= {(process.pid, task): t for task, t in process.threads.items()}
        was_stopped = self._was_stopped
        self._was_stopped = any(process.state in _STOPPED for process in processes)
        passed = self._now - before
        if passed <= 0:
            return
        ran, wanted, longest = 0.0, 0.0, 0.0
        seen = {pid for pid, _ in threads_before}
        for process in processes:
            new = process.pid not in seen and process.age < passed
            scale = passed / max(process.age, _RESOLUTION) if new else 1.0
            for task, times in process.threads.items():
                earlier = threads_before.get((process.pid, task), (0, 0))
                run, wait = (
                    scale * (now - then) / 1e9 for now, then in zip(times, earlier, strict=True)
                )
                ran, wanted, longest = ran + run, wanted + run + wait, max(longest, wait)
        if was_stopped and self._was_stopped and wanted < _IDLE * passed:
            share = 1.0
        elif wanted:
            share = 1 - min(1.0, ran / min(wanted, passed * _processors()))
            share = min(share, longest / passed)
        else:
            share = 0.0
        lost = share * (self._watched - watched)
        self._left_out = min(self._left_out + lost, self._most)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
