"""Runs one program so that nothing it does can hurt: bounded in time, memory, output and disk.

Memory is watched rather than limited in advance: a compiler maps hundreds of megabytes of library
and reserves address space for every thread, so RLIMIT_AS says nothing about what it uses. The
resident size of the whole process tree is read every few milliseconds instead, and the kernel is
told to pick the child first when memory runs out.
"""

import math
import os
import resource
import selectors
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from oracles.capture import Capture
from oracles.tree import RUN_VARIABLE, kill_strays, peak_memory, resident_memory

_TICK = 0.02
"""Seconds between two looks at the cancel event and at memory."""

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Limits:
    """What a run may use; None means unlimited.

    `seconds` is wall time, `memory` bytes of resident memory of the whole process tree, `output`
    bytes kept of each of standard output and error, `disk` bytes of the largest file written.
    """

    seconds: float | None = None
    memory: int | None = None
    output: int = 4 << 20
    disk: int = 8 << 30


class End(StrEnum):
    """Who ended the run: the program itself, a limit, or the caller."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class ProcessResult:
    """How a process ended. `exit_code` is negative for a signal; times are in seconds."""

    end: End
    exit_code: int
    seconds: float
    cpu_seconds: float
    peak_memory: int
    stdout: str
    stderr: str


def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    limits: Limits,
    cancel: threading.Event | None = None,
    env: Mapping[str, str] | None = None,
    sweep: bool = False,
) -> ProcessResult:
    """Runs `argv` in a session of its own and kills whatever is left of it at the end.

    `sweep` also hunts, after a normal end, for descendants that made a session of their own (it
    costs a scan of /proc, which a forced end always pays). `env` replaces the environment.
    Raises OSError when the program cannot be started.
    """
    token = uuid.uuid4().hex
    started = time.monotonic()
    process = subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=_environment(os.environ if env is None else env, token),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    watch = _Watch(process, limits, cancel, started)
    try:
        watch.confine()
        end = watch.wait()
    except BaseException:
        watch.end = End.CANCELLED
        raise
    finally:
        watch.kill(token, sweep)
        watch.finish()
    return ProcessResult(
        end=end,
        exit_code=os.waitstatus_to_exitcode(watch.status),
        seconds=time.monotonic() - started,
        cpu_seconds=watch.cpu_seconds,
        peak_memory=watch.peak_memory,
        stdout=watch.stdout.text(),
        stderr=watch.stderr.text(),
    )


def _environment(env: Mapping[str, str], token: str) -> dict[str, str]:
    """No symbolizer (200 ms a crash; see `frames`) and no crash reports in the user's home."""
    return {
        **env,
        "LLVM_DISABLE_SYMBOLIZATION": "1",
        "LLVM_DISABLE_CRASH_REPORT": "1",
        RUN_VARIABLE: f"{env.get(RUN_VARIABLE, '')} {token}".strip(),
    }


class _Watch:
    """One child from start to reaping."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        limits: Limits,
        cancel: threading.Event | None,
        started: float,
    ) -> None:
        self.process = process
        self.limits = limits
        self.cancel = cancel
        self.deadline = None if limits.seconds is None else started + limits.seconds
        self.end = End.EXITED
        self.stdout = Capture(limits.output)
        self.stderr = Capture(limits.output)
        self.status = 0
        self.cpu_seconds = 0.0
        self.peak_memory = 0
        self._next_look = started
        self._selector = selectors.DefaultSelector()
        for pipe, capture in ((process.stdout, self.stdout), (process.stderr, self.stderr)):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe.fileno(), selectors.EVENT_READ, capture)
        self._pidfd: int | None = None
        with suppress(AttributeError, OSError):  # without it the end is seen a tick later
            self._pidfd = os.pidfd_open(process.pid)
            self._selector.register(self._pidfd, selectors.EVENT_READ, None)

    def confine(self) -> None:
        """Limits set from outside: a hook run in the child would be unsafe beside threads."""
        pid = self.process.pid
        if hasattr(resource, "prlimit"):
            # It may have ended already, or a stricter limit may be in force.
            with suppress(ProcessLookupError, PermissionError, ValueError):
                resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (self.limits.disk, self.limits.disk))
                if self.limits.seconds is not None:
                    # Never reached while we watch; ends the child if we are killed.
                    cpu = math.ceil(self.limits.seconds * (os.cpu_count() or 1)) + 60
                    resource.prlimit(pid, resource.RLIMIT_CPU, (cpu, cpu))
        with suppress(OSError):
            Path(f"/proc/{pid}/oom_score_adj").write_text("1000")

    def wait(self) -> End:
        while self.end is End.EXITED and not self._has_exited():
            for key, _ in self._selector.select(self._patience()):
                if key.data is not None:
                    self._read(key.fd, key.data)
            self._look()
        return self.end

    def kill(self, token: str, sweep: bool) -> None:
        """The group dies before its leader is reaped, while its number cannot be reused."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        if sweep or self.end is not End.EXITED:
            kill_strays(token)

    def finish(self) -> None:
        _, self.status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(self.status)
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        largest = usage.ru_maxrss << 10
        # The kernel counts our own pages too, which a child shares until it starts its program,
        # and not exactly: near our own size only what was seen while it ran is certain.
        ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        if not 0.9 * ours < largest < 1.1 * ours or not self.peak_memory:
            self.peak_memory = max(self.peak_memory, largest)
        self._drain()
        if self._pidfd is not None:
            os.close(self._pidfd)
        self._selector.close()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def _has_exited(self) -> bool:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, options) is not None

    def _patience(self) -> float | None:
        """Seconds that may pass before something must be looked at again."""
        if self.deadline is None:
            return _TICK
        return max(0.0, min(_TICK, self.deadline - time.monotonic()))

    def _look(self) -> None:
        now = time.monotonic()
        if self.cancel is not None and self.cancel.is_set():
            self.end = End.CANCELLED
        elif self.deadline is not None and now >= self.deadline:
            self.end = End.TIMEOUT
        elif now >= self._next_look:
            self._next_look = now + _TICK
            self.peak_memory = max(self.peak_memory, peak_memory(self.process.pid))
            limit = self.limits.memory
            if limit is not None and resident_memory(self.process.pid) > limit:
                self.end = End.MEMORY

    def _read(self, descriptor: int, capture: Capture) -> bool:
        """Whether more may follow at once."""
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._selector.unregister(descriptor)
            return False
        capture.add(chunk)
        return True

    def _drain(self) -> None:
        """What is left in the pipes; a stray that still writes must not hold us here."""
        until = time.monotonic() + 1.0
        for key in list(self._selector.get_map().values()):
            if isinstance(key.data, Capture):
                while time.monotonic() < until and self._read(key.fd, key.data):
                    pass
