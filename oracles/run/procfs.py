"""Read the state and the descendants of a process from /proc; without /proc, there are none.

The reaper loads this file by its path, so it imports little, and nothing else of this package.
"""

import os
import signal
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_PROC = "/proc"
_STRAYS_SECONDS = 2.0
_STATE, _STARTED, _RESIDENT = 0, 19, 21
"""The fields of `/proc/PID/stat` after the name."""
_CHUNK = 1 << 16


def children(pid: int) -> Iterator[int]:
    """The living children of a process, and those that nobody has waited for."""
    for task in threads_of(pid):
        try:
            yield from map(int, read_kernel_file(f"{task}/children").split())
        except OSError:
            continue  # it has just ended


def threads_of(pid: int) -> list[str]:
    """The folders of the threads of a process."""
    folder = f"{_PROC}/{pid}/task"  # not a Path: this runs several times for every candidate
    try:
        return [f"{folder}/{task}" for task in os.listdir(folder)]  # noqa: PTH208
    except OSError:
        return []


def descendants(pid: int) -> Iterator[int]:
    """What a process has started, and what that has started."""
    pending = list(children(pid))
    while pending:
        process = pending.pop()
        yield process
        pending += children(process)


def peak_memory(pid: int) -> int:
    """The peak resident memory of the process itself in bytes, or 0 if unknown."""
    try:
        status = read_kernel_file(f"{_PROC}/{pid}/status")
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) << 10
    return 0


def kill_marked(mark: str) -> None:
    """Kill every other process with this text in its environment, until none is left.

    Bounded: gives up on what starts more of them faster than /proc can be read.
    """
    until = time.monotonic() + _STRAYS_SECONDS
    while time.monotonic() < until:
        found = list(_marked(mark.encode()))
        if not found:
            return
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue


def _marked(mark: bytes) -> Iterator[int]:
    try:
        names = os.listdir(_PROC)  # noqa: PTH208
    except OSError:
        return
    for pid in (int(name) for name in names if name.isdigit()):
        try:
            # A zombie's environment is empty, so processes killed already are not found again.
            if pid != os.getpid() and mark in read_kernel_file(f"{_PROC}/{pid}/environ"):
                yield pid
        except OSError:
            continue


class Process(NamedTuple):
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
        fields = read_kernel_file(f"{_PROC}/{pid}/stat").rpartition(b")")[2].split()
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
        for line in read_kernel_file(f"{_PROC}/{process.pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) << 10
    except (OSError, IndexError, ValueError):
        pass
    return process.resident


def read_kernel_file(path: str | os.PathLike[str]) -> bytes:
    """The content of a file in /proc or /sys, with half as many system calls as `open` makes.

    Each call lets another thread take over. With many compilers to watch, that adds up.

    Raises:
        OSError: there is no such file, or it cannot be read.
    """
    file, parts = os.open(path, os.O_RDONLY | os.O_CLOEXEC), []
    try:
        while part := os.read(file, _CHUNK):
            parts.append(part)
    finally:
        os.close(file)
    return b"".join(parts)


def write_kernel_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write to a file in /proc or /sys.

    Raises:
        OSError: there is no such file, or it cannot be written.
    """
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, content)
    finally:
        os.close(file)
