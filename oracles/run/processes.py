"""What the processes of a run do at one moment, read from /proc. None is found without that."""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass

from oracles.run.tree import PROC, read_kernel_file, threads_of

_STATE, _STARTED, _RESIDENT = 0, 19, 21
"""The fields of `/proc/PID/stat` after the name."""


@dataclass(frozen=True)
class Process:
    """A process as seen at one moment.

    `state` is the letter that the kernel gives it, `resident` bytes of memory, `age` seconds, and
    `threads` the nanoseconds that each of them has run, and waited for a processor so far.
    """

    pid: int
    state: str
    resident: int
    age: float
    threads: dict[int, tuple[int, int]]


def look_at(processes: Iterable[int]) -> list[Process]:
    """Those of the processes that have not ended."""
    return [found for pid in processes if (found := _look(pid)) is not None]


def _look(pid: int) -> Process | None:
    try:
        fields = read_kernel_file(f"{PROC}/{pid}/stat").rpartition(b")")[2].split()
        state, started, pages = (fields[n] for n in (_STATE, _STARTED, _RESIDENT))
    except (OSError, IndexError):
        return None
    threads = {}
    for task in threads_of(pid):
        try:
            ran, waited, _ = map(int, read_kernel_file(f"{task}/schedstat").split())
            threads[int(task.rpartition("/")[2])] = ran, waited
        except (OSError, ValueError):
            continue  # it has just ended, or the kernel does not tell
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(started) / os.sysconf("SC_CLK_TCK")
    resident = int(pages) * os.sysconf("SC_PAGE_SIZE")
    return Process(pid, state.decode(), resident, age, threads)


def proportional_memory(process: Process) -> int:
    """Bytes resident in a process, of which those that it shares count in part.

    Takes 10 ms for each gigabyte or more.
    """
    try:
        for line in read_kernel_file(f"{PROC}/{process.pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) << 10
    except (OSError, IndexError, ValueError):
        pass
    return process.resident
