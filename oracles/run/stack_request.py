"""Get the stack of a program that hangs, as a debugger would.

LLVM's signal handlers print the stack of the thread that receives a fatal signal. Sent to the
process, it goes to the main thread, which often only waits for the others. So it is sent to the
thread that computes. SIGQUIT is the signal for this purpose; unlike SIGABRT, it is not intercepted
by a `CrashRecoveryContext`, which would let the compiler continue. Python answers only SIGABRT.

A program without such handlers dies silently. One that is interrupted in its allocator may
deadlock, since the handler allocates, too, and a program whose memory runs away is often there. So
the thread is first stopped outside the system's libraries, if the kernel says where it is.
"""

import ctypes
import os
import re
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from oracles.run.procfs import descendants, look_at, threads_of

ANSWER_SECONDS = 2.0
"""How long the program may take to print its stack: under 0.1 s without a symbolizer, if idle."""

QUIET_SECONDS = 1.0
"""How long a program that has begun to print its stack may pause before it counts as finished."""

LONGEST_ANSWER = 5.0
"""How long a program that survives the request may go on printing: some never stop."""

_WINDOW = 0.03  # seconds between two looks at the threads
_WINDOWS = 20  # of these, at most: the machine may be busy
_IDLE_WINDOWS = 3  # without a thread that could run: all of them sleep, and none is the busiest
_ENOUGH = 10_000_000  # ns that one thread must have run; one that waits runs for a moment, too
_STOPS = 40  # attempts to stop a thread outside of the system's libraries
_STEP = 0.001  # seconds between two looks at a thread that is to stop
_STEPS = 500  # of these, at most: on a busy machine, it stops once it gets a processor
_LIBRARY = re.compile(r"/(?:lib(?:c|stdc\+\+|c\+\+|gcc_s|[\w-]*malloc)[-.]|ld-)[^/\n]*$")
_TGKILL = {"x86_64": 234, "aarch64": 131}
_PROC = Path("/proc")


def request_stack(pid: int) -> bool:
    """Signal the busiest thread of the descendants of a process; return whether that worked.

    If none of them runs, it is the first thread of what was started last: others wait for that.
    """
    before = _run_times(pid)
    busiest, ran, idle = (0, 0), 0, 0
    for _ in range(_WINDOWS):
        time.sleep(_WINDOW)
        busiest, ran = _busiest(before, _run_times(pid))
        idle = idle + 1 if _all_sleep(pid) else 0
        if ran >= _ENOUGH or idle == _IDLE_WINDOWS:
            break
    if not ran:
        last = max(descendants(pid), default=0)
        return last > 0 and _signal(last, last)
    try:
        _stop_outside_libraries(*busiest)
        return _signal(*busiest)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(busiest[0], signal.SIGCONT)


def _stop_outside_libraries(process: int, thread: int) -> None:
    """Stop a process while one of its threads is not in the allocator, if it ever leaves that."""
    for number in range(_STOPS):
        with suppress(ProcessLookupError, PermissionError):
            if number:
                os.kill(process, signal.SIGCONT)
                time.sleep(_STEP)
            os.kill(process, signal.SIGSTOP)
        for _ in range(_STEPS):
            if _state(_PROC / str(process) / "task" / str(thread)) != b"R":
                break
            time.sleep(_STEP)
        if not _is_in_library(process, thread):
            return


def _is_in_library(process: int, thread: int) -> bool:
    """Whether a thread that does not run is in a library of the system; False if nobody tells."""
    folder = _PROC / str(process)
    with suppress(OSError, ValueError, IndexError):
        place = (folder / "task" / str(thread) / "syscall").read_bytes()
        address = int(place.split()[-1], 16)
        for line in os.fsdecode((folder / "maps").read_bytes()).splitlines():
            start, end = (int(bound, 16) for bound in line.split()[0].split("-"))
            if start <= address < end:
                return bool(_LIBRARY.search(line))
    return False


Thread = tuple[int, int]
"""The ids of a process and of one of its threads."""


def _busiest(before: Mapping[Thread, int], after: Mapping[Thread, int]) -> tuple[Thread, int]:
    """The thread that ran longest in between, and how long in ns."""
    ran = {thread: time - before.get(thread, 0) for thread, time in after.items()}
    best = max(ran, key=lambda thread: (ran[thread], -thread[1]), default=(0, 0))
    return best, ran.get(best, 0)


def _run_times(pid: int) -> dict[Thread, int]:
    """The time in ns that each living thread of the descendants of a process has run."""
    processes = look_at(descendants(pid))
    return {(one.pid, task): times[0] for one in processes for task, times in one.threads.items()}


def _all_sleep(pid: int) -> bool:
    """Whether no thread of the descendants runs or waits for a processor."""
    tasks = (task for process in descendants(pid) for task in threads_of(process))
    return all(_state(Path(task)) != b"R" for task in tasks)


def _state(task: Path) -> bytes:
    """The letter of the state of a thread, b"R" if it runs or waits for a processor."""
    with suppress(OSError, IndexError):
        return (task / "stat").read_bytes().rpartition(b")")[2].split()[0]
    return b""


def _signal(process: int, thread: int) -> bool:
    """Signal one thread, or the process where that is not possible.

    False if it would not answer: a script, or a program that was not written to print a stack.
    """
    request = _request_to(process)
    if request is None:
        return False
    number = _TGKILL.get(os.uname().machine) if os.uname().sysname == "Linux" else None
    if number is not None:
        return int(ctypes.CDLL(None).syscall(number, process, thread, int(request))) == 0
    try:
        os.kill(process, request)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _request_to(process: int) -> signal.Signals | None:
    """SIGABRT for a program that has a handler for that and none for SIGQUIT, which others get.

    None if it has none for either.
    """
    caught = -1  # the system does not say
    with suppress(OSError, ValueError, StopIteration):
        lines = (_PROC / str(process) / "status").read_text(encoding="utf-8").splitlines()
        caught = int(next(line for line in lines if line.startswith("SigCgt:")).split()[1], 16)
    quits, aborts = (caught >> number - 1 & 1 for number in (signal.SIGQUIT, signal.SIGABRT))
    if not quits and not aborts:
        return None
    return signal.SIGQUIT if quits else signal.SIGABRT
