"""Inspect a process and its descendants through /proc. A no-op on systems without /proc.

The guardian loads this file by its path, so it imports nothing else of this package.
"""

import os
import signal
import time
from collections.abc import Container, Iterable, Iterator
from functools import cache
from pathlib import Path

RUN_VARIABLE = "MLIR_ORACLE_RUN"
"""The environment variable that marks every descendant of a run, in whatever session it is.

It holds the tokens of all enclosing runs, since an oracle may be run by another one's script.
"""

_STRAYS_SECONDS = 2.0
_PROC = Path("/proc")
_CHUNK = 1 << 16
_FASTEST = 1 << 13  # processes and threads that even a busy system starts in a second
_FEW = 1 << 12  # ids that can be asked for in 10 ms


def resident_memory(pid: int) -> int:
    """Bytes resident in a process and its living descendants."""
    return sum(_resident(member) for member in tree(pid))


def tree(pid: int) -> Iterator[int]:
    """A process and its living descendants."""
    pending = [pid]
    while pending:
        parent = pending.pop()
        yield parent
        tasks = f"/proc/{parent}/task"  # not a Path: this runs several times for every candidate
        try:
            for task in os.listdir(tasks):  # noqa: PTH208
                pending += map(int, read_kernel_file(f"{tasks}/{task}/children").split())
        except OSError:
            continue


def longest_wait(pid: int) -> float:
    """The longest time in seconds that any thread in a process tree has waited for a processor.

    Only living threads count; 0 if the kernel does not report it.
    """
    return max((_waited(member) for member in tree(pid)), default=0.0)


def _waited(pid: int) -> float:
    longest = 0
    try:
        for task in (_PROC / str(pid) / "task").iterdir():
            longest = max(longest, int((task / "schedstat").read_bytes().split()[1]))
    except (OSError, IndexError, ValueError):
        pass
    return longest / 1e9


def peak_memory(pid: int) -> int:
    """The peak resident memory of the process itself in bytes, or 0 if unknown."""
    try:
        status = read_kernel_file(f"/proc/{pid}/status")
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) << 10
    return 0


def last_id() -> int | None:
    """The last id that the kernel gave to a process or thread; None if it does not say."""
    try:
        return int(read_kernel_file("/proc/loadavg").split()[-1])
    except (OSError, IndexError, ValueError):
        return None


@cache
def seconds_until_reuse() -> float:
    """For how many seconds even a busy system does not reuse an id.

    If it does, a process in a session of its own may survive until the guardian kills it.
    """
    try:
        return int(read_kernel_file("/proc/sys/kernel/pid_max")) / _FASTEST
    except (OSError, ValueError):
        return 0.0


def kill_strays(token: str, after: int | None = None, sessions: Container[int] = ()) -> None:
    """Kill every process that carries this run's mark, until none is left.

    Bounded: gives up on a fork bomb that starts sessions faster than /proc can be read.

    Args:
        after: an id that was given before the first of the run, if ids were not reused since. Only
            what was started after that is looked at, if that is not too much: to read all of /proc
            takes milliseconds, and lets other threads take over hundreds of times.
        sessions: the ids of sessions that belong to other runs.
    """
    until = time.monotonic() + _STRAYS_SECONDS
    while time.monotonic() < until:
        strays = list(_marked(token.encode(), after, sessions))
        if not strays:
            return
        for pid in strays:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue


def _marked(token: bytes, after: int | None, sessions: Container[int]) -> Iterator[int]:
    last = None if after is None else last_id()
    # The run itself has a later id, unless ids begin again or the system does not say.
    if after is None or last is None or not after < last <= after + _FEW:
        candidates = _processes()
    else:
        candidates = _started(after, last, sessions)
    own = os.getpid()
    for pid in candidates:
        if pid == own:
            continue
        try:
            # A zombie's environment is empty, so processes killed already are not found again.
            environment = read_kernel_file(f"/proc/{pid}/environ")
        except OSError:
            continue
        if token in environment:
            yield pid


def _started(after: int, last: int, sessions: Container[int]) -> Iterator[int]:
    """Processes with ids up to `last`, in sessions that were begun `after`, but not in these.

    Nothing that a run has started can enter a session that was there before.
    """
    for pid in range(after + 1, last + 1):
        try:
            session = os.getsid(pid)
        except OSError:  # as most: they have ended
            continue
        if session > after and session not in sessions:
            yield pid


def _processes() -> Iterable[int]:
    """The ids of all processes."""
    try:
        names = os.listdir(_PROC)  # noqa: PTH208
    except OSError:
        return ()
    return (int(name) for name in names if name.isdigit())


def read_kernel_file(path: str | Path) -> bytes:
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


def write_kernel_file(path: str | Path, content: bytes) -> None:
    """Write to a file in /proc or /sys.

    Raises:
        OSError: there is no such file, or it cannot be written.
    """
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, content)
    finally:
        os.close(file)


def _resident(pid: int) -> int:
    try:
        pages = int(read_kernel_file(f"/proc/{pid}/statm").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
