"""Watch one child process from start to end.

Memory is watched rather than limited in advance: a compiler maps hundreds of megabytes of libraries
and reserves address space for every thread, so RLIMIT_AS says little about actual use. Instead, the
resident size of the whole process tree is sampled every few milliseconds, and the kernel is told to
choose the child first when memory runs out.
"""

import math
import os
import resource
import selectors
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace

from oracles.run.capture import Capture
from oracles.run.limits import Cancel, End, Limits, ProcessResult, Reader
from oracles.run.memory import Seat, memory_left, memory_reserve
from oracles.run.procfs import (
    Process,
    descendants,
    look_at,
    peak_memory,
    proportional_memory,
    write_kernel_file,
)
from oracles.run.reaper_client import Child, Usage
from oracles.run.run_clock import BUSIEST, RunClock
from oracles.run.stack_request import ANSWER_SECONDS, LONGEST_ANSWER, QUIET_SECONDS, request_stack

_TICK = 0.02
"""Seconds between checks of memory where little is left, and of what does not wake the watcher."""

_LONGEST_LOOK = 0.25
"""Seconds between checks of memory where much is left; each costs half a millisecond or more."""

_FASTEST = 4 << 30
"""Bytes per second: no program fills memory faster, since the kernel clears it first."""

_CHUNK = 1 << 16
_DEAREST = 0.1  # the share of time that looks at memory take, if it is much and shared
_LONGEST_WAIT = 60  # seconds that a program may wait for a processor before it answers
_GRACE = 5  # seconds of processor time between SIGXCPU, which can be ignored, and SIGKILL


def watch(
    child: Child,
    *,
    limits: Limits,
    cancel: threading.Event | None,
    seat: Seat,
    reader: Reader | None = None,
) -> ProcessResult:
    """Wait for the child within `limits` and kill whatever is left of it.

    If the run must leave its `seat`, the end is CANCELLED.
    """
    watcher = _Watch(child, limits, cancel, seat, reader)
    try:
        watcher.confine()
        end = watcher.wait()
        if limits.ask and end in (End.TIMEOUT, End.MEMORY):
            watcher.ask_for_stack()
    except BaseException:
        watcher.end = End.CANCELLED
        raise
    finally:
        usage = watcher.finish()
    exit_code = os.waitstatus_to_exitcode(usage.status)
    if end is End.EXITED and _ran_out_of_cpu(limits, exit_code, usage.cpu_seconds):
        end = End.TIMEOUT
    return ProcessResult(
        end=end,
        exit_code=exit_code,
        seconds=time.monotonic() - watcher.started - watcher.clock.unwatched,
        cpu_seconds=usage.cpu_seconds,
        peak_memory=usage.peak_memory,
        stdout=watcher.stdout.text(),
        stderr=watcher.printed,
        unanswered=watcher.unanswered,
    )


def _ran_out_of_cpu(limits: Limits, exit_code: int, seconds: float) -> bool:
    """Whether the kernel ended the run, or a child of a script with that exit code, for CPU use."""
    if limits.cpu is None:
        return False
    if exit_code in _codes(signal.SIGXCPU):
        return True
    return exit_code in _codes(signal.SIGKILL) and seconds >= limits.cpu


def _codes(number: signal.Signals) -> tuple[int, int]:
    """The exit codes for a signal: that of the process, and that of a shell around it."""
    return -number, 128 + number


def _is_scarce(used: int) -> bool:
    """Whether the machine is so short of memory that a run using so much of it must end."""
    reserve = memory_reserve()
    if used < reserve:
        return False
    left = memory_left()
    return left is not None and left < reserve


def _memory(processes: Sequence[Process], limit: int | None) -> int:
    """Bytes resident in processes; pages that several share count once if that may matter."""
    used = sum(one.resident for one in processes)
    if limit is not None and used > limit and len(processes) > 1:
        return sum(map(proportional_memory, processes))
    return used


def _until_next_look(used: int, limit: int | None, age: float) -> float:
    """Seconds after which a run that uses so much memory may use too much.

    A run of that age in seconds may also end soon, so a young one is looked at more often.
    """
    most = memory_reserve() if limit is None else min(limit, memory_reserve())
    return max(_TICK, min(_LONGEST_LOOK, age, (most - used) / _FASTEST))


def _lower(pid: int, kind: int, soft: int, hard: int) -> None:
    """Set a resource limit of a process; a stricter hard limit that it already has stays."""
    # The process may have ended, or belong to another user.
    with suppress(ProcessLookupError, PermissionError, ValueError):
        _, present = resource.prlimit(pid, kind)
        if present != resource.RLIM_INFINITY:
            hard = min(hard, present)
        resource.prlimit(pid, kind, (min(soft, hard), hard))


class _Watch:
    def __init__(
        self,
        child: Child,
        limits: Limits,
        cancel: threading.Event | None,
        seat: Seat,
        reader: Reader | None,
    ) -> None:
        self.child = child
        self.limits = limits
        self.cancel = cancel
        self.seat = seat
        self.reader = reader
        self.started = time.monotonic()
        self.clock = RunClock((BUSIEST - 1) * (limits.seconds or 0.0))
        self.end = End.EXITED
        self.stdout = Capture(limits.output)
        self.stderr = Capture(limits.output)
        self.peak_memory = 0
        self._before = ""
        self._enough = False
        self._looked = False
        self._next_look = self.started + _TICK  # any earlier, the program may not have started
        self._must_tick = True
        self.unanswered = False
        """Whether the program was asked for its stack, and ended before it was done with it."""
        self._selector = selectors.DefaultSelector()
        for pipe, capture in ((child.stdout, self.stdout), (child.stderr, self.stderr)):
            os.set_blocking(pipe, False)
            self._selector.register(pipe, selectors.EVENT_READ, capture)
        if child.pidfd is not None:
            self._selector.register(child.pidfd, selectors.EVENT_READ, None)

    def confine(self) -> None:
        """Set limits from outside, because a hook in the child would be unsafe with threads.

        Processes that the child starts inherit the limits, unless they start before; so this is
        done twice.
        """
        for pid in descendants(self.child.keeper):
            if hasattr(resource, "prlimit"):
                self._limit_resources(pid)
            with suppress(OSError):
                write_kernel_file(f"/proc/{pid}/oom_score_adj", b"1000")

    def _limit_resources(self, pid: int) -> None:
        limits = self.limits
        _lower(pid, resource.RLIMIT_CORE, 0, 0)
        _lower(pid, resource.RLIMIT_FSIZE, limits.disk, limits.disk)
        if limits.cpu is not None:
            cpu = math.ceil(limits.cpu)
            _lower(pid, resource.RLIMIT_CPU, cpu, cpu + _GRACE)
        elif limits.seconds is not None:
            # Never reached while we watch; kills the child if we are killed.
            cpu = math.ceil(BUSIEST * limits.seconds * (os.cpu_count() or 1)) + 60
            _lower(pid, resource.RLIMIT_CPU, cpu, cpu)

    def wait(self) -> End:
        with self._woken_by_cancel():
            while self.end is End.EXITED and not self.child.has_exited():
                self._receive(self._poll_timeout(), self.clock)
                self._poll()
        self.clock.waited(0.0)  # this process may have been stopped since
        return self.end

    @contextmanager
    def _woken_by_cancel(self) -> Iterator[None]:
        """Have the selector wait for the cancel event as well, if that is possible."""
        waking = self.cancel.file() if isinstance(self.cancel, Cancel) else nullcontext()
        with waking as file:
            wakes = file is not None or self.cancel is None
            self._must_tick = not wakes or self.child.pidfd is None
            if file is not None:
                self._selector.register(file, selectors.EVENT_READ, None)
            try:
                yield
            finally:
                if file is not None:
                    self._selector.unregister(file)

    def ask_for_stack(self) -> None:
        """Have the program print where it is, and wait for that: it dies of the signal.

        Memory is still watched: other threads go on while one prints.
        """
        limits, clock = self.limits.times(2), RunClock(_LONGEST_WAIT)
        self._begin_answer()
        asked = request_stack(self.child.keeper)
        answered: float | None = None
        clock.waited(0.0)
        clock.look(self._processes())
        started = clock.seconds
        while asked and not self.child.has_exited():
            if answered is None and clock.seconds - started > ANSWER_SECONDS:
                break
            # A program that was told to ignore the signal, as in the background of a shell, prints
            # its stack and goes on.
            if answered is not None and clock.seconds - answered > QUIET_SECONDS:
                return
            # One that never stops printing is never quiet.
            if answered is not None and clock.seconds - started > LONGEST_ANSWER:
                break
            if self._receive(_TICK, clock):
                answered = clock.seconds
            if self.cancel is not None and self.cancel.is_set():
                break
            processes = self._processes()
            clock.look(processes)
            used = _memory(processes, limits.memory)
            too_much = limits.memory is not None and used > limits.memory
            if too_much or _is_scarce(used) or self.seat.must_go(used):
                break
        self.unanswered = asked and not self.child.has_exited()

    def _receive(self, seconds: float, clock: RunClock) -> bool:
        """Wait so long for output or the end of the program, and return whether it has printed."""
        has_printed = False
        for key, _ in self._selector.select(seconds):
            if key.data is not None:
                has_printed |= self._read(key.fd, key.data)
        clock.waited(seconds)
        return has_printed

    def _processes(self) -> list[Process]:
        """The processes of the run."""
        return look_at(descendants(self.child.keeper))

    def _begin_answer(self) -> None:
        """Collect the answer separately, so that no other output can displace it."""
        self._before = self.stderr.text()
        self.stderr = Capture(self.limits.output)
        with suppress(KeyError):  # closed
            self._selector.modify(self.child.stderr, selectors.EVENT_READ, self.stderr)

    @property
    def printed(self) -> str:
        """The text of standard error."""
        return self._before + self.stderr.text()

    def finish(self) -> Usage:
        """Kill what is left; the resource usage, with the highest memory sampled during the run."""
        try:
            usage = self.child.end()
            self._drain()
        finally:
            self._selector.close()
            self.child.close()
        return replace(usage, peak_memory=max(self.peak_memory, usage.peak_memory))

    def _poll_timeout(self) -> float:
        """Seconds until the next check is due."""
        now = time.monotonic()
        due = [self._next_look]
        if self.limits.seconds is not None:
            due.append(now + self.limits.seconds - self.clock.seconds)
        if self._must_tick:
            due.append(now + _TICK)
        return max(0.0, min(due) - now)

    def _poll(self) -> None:
        now = time.monotonic()
        if self._enough:
            self.end = End.STOPPED
        elif self.cancel is not None and self.cancel.is_set():
            self.end = End.CANCELLED
        elif not self.child.has_exited():  # what has ended by itself is judged by that alone
            seconds = self.limits.seconds
            if now >= self._next_look or (seconds is not None and self.clock.seconds >= seconds):
                self._look(now)
            if seconds is not None and self.clock.seconds >= seconds:
                self.end = End.TIMEOUT

    def _look(self, now: float) -> None:
        """Look at what the run uses, and at how much of its time it could use."""
        if not self._looked:
            self._looked = True
            self.confine()
        self.peak_memory = max(self.peak_memory, peak_memory(self.child.pid))
        processes = self._processes()
        self.clock.look(processes)
        used = _memory(processes, self.limits.memory)
        pause = _until_next_look(used, self.limits.memory, now - self.started)
        took = time.monotonic() - now
        self._next_look = now + max(pause, min(took / _DEAREST, _LONGEST_LOOK))
        if self.limits.memory is not None and used > self.limits.memory:
            self.end = End.MEMORY
        elif _is_scarce(used):
            self.seat.starving = not self.seat.is_alone
            self.end = End.CANCELLED if self.seat.starving else End.MEMORY
        elif self.seat.must_go(used):
            self.end = End.CANCELLED

    def _read(self, descriptor: int, capture: Capture) -> bool:
        """Read what is available, and return whether more may follow at once."""
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._selector.unregister(descriptor)
            return False
        capture.add(chunk)
        if self.reader is not None:
            stream = "stdout" if capture is self.stdout else "stderr"
            if self.reader(stream, chunk) and self.end is End.EXITED:
                self._enough = True
        return True

    def _drain(self) -> None:
        """Read what is left in the pipes, without waiting for a stray that still writes."""
        until = time.monotonic() + 1.0
        for key in list(self._selector.get_map().values()):
            if isinstance(key.data, Capture):
                while time.monotonic() < until and self._read(key.fd, key.data):
                    pass
