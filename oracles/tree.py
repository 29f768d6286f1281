"""Looks at a process and its descendants through /proc. Does nothing where there is no /proc."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

RUN_VARIABLE = "MLIR_ORACLE_RUN"
"""Environment variable that marks every descendant of one run, whatever session it is in.

It holds the tokens of all runs around a process, since an oracle may be run by another's script.
"""

_STRAYS_SECONDS = 2.0
_PROC = Path("/proc")


def resident_memory(pid: int) -> int:
    """Bytes resident in a process and its living descendants."""
    return sum(_resident(member) for member in tree(pid))


def tree(pid: int) -> Iterator[int]:
    """A process and its living descendants."""
    pending = [pid]
    while pending:
        parent = pending.pop()
        yield parent
        try:
            for task in (_PROC / str(parent) / "task").iterdir():
                children = (task / "children").read_text(encoding="utf-8")
                pending += map(int, children.split())
        except OSError:
            continue


def longest_wait(pid: int) -> float:
    """Seconds that a thread of a process or a descendant has waited for a free processor.

    Of all living threads that of the unluckiest; 0 where the kernel does not tell.
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
    """Most bytes that the process itself has had resident so far, or 0."""
    try:
        status = (_PROC / str(pid) / "status").read_bytes()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) << 10
    return 0


def kill_strays(token: str) -> None:
    """Kills every process that carries this run's mark, until none is left.

    Bounded: a bomb that forks new sessions faster than /proc can be read is given up on.
    """
    until = time.monotonic() + _STRAYS_SECONDS
    while time.monotonic() < until:
        strays = list(_marked(token.encode()))
        if not strays:
            return
        for pid in strays:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue


def _marked(token: bytes) -> Iterator[int]:
    if not _PROC.is_dir():
        return
    own = os.getpid()
    for entry in _PROC.iterdir():
        if not entry.name.isdigit() or int(entry.name) == own:
            continue
        try:
            # A zombie's environment is empty, so what was killed already is not found again.
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue
        if token in environment:
            yield int(entry.name)


def _resident(pid: int) -> int:
    try:
        pages = int((_PROC / str(pid) / "statm").read_bytes().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
