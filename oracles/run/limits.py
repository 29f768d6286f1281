"""Resource limits of a run, and how it ended."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol

LAYOUTS = 4
"""In how many ways addresses are fixed: where in a cache line of 64 bytes the stack begins."""


@dataclass(frozen=True)
class Limits:
    """The resource limits of a run; None means unlimited.

    `seconds` is the wall-clock time in which the program could go on (see `run_clock`), `memory`
    bytes of resident memory of all processes, `output` bytes kept of standard output and error
    each, `disk` bytes of the largest file written, `cpu` seconds of processor time of each process.

    With `ask`, a program that reaches a limit of time or memory is asked for its stack before it is
    killed (see `stack_request`); what it prints ends its standard error.

    Where the system allows that, its addresses are the same each time, in every shell, so what it
    reads of memory is nearly the same as well. They may be so in one of `LAYOUTS` ways, from 0. If
    `layout` is None, it is started as a user starts it.
    """

    seconds: float | None = None
    memory: int | None = None
    output: int = 4 << 20
    disk: int = 8 << 30
    cpu: float | None = None
    ask: bool = False
    layout: int | None = 0

    def times(self, factor: int) -> "Limits":
        """The limits with `factor` times as much time and memory."""
        seconds = None if self.seconds is None else factor * self.seconds
        memory = None if self.memory is None else factor * self.memory
        return replace(self, seconds=seconds, memory=memory)

    def at_most(self, other: "Limits") -> "Limits":
        """The limits with no more time and memory than the other ones."""
        seconds = [one for one in (self.seconds, other.seconds) if one is not None]
        memory = [one for one in (self.memory, other.memory) if one is not None]
        return replace(self, seconds=min(seconds, default=None), memory=min(memory, default=None))


class End(StrEnum):
    """What ended the run: the program itself, a limit, or the caller (who may have seen enough)."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CANCELLED = "cancelled"
    STOPPED = "stopped"


@dataclass(frozen=True)
class ProcessResult:
    """How a process ended. `exit_code` is negative for a signal; times are in seconds.

    `starved` is whether the kernel killed it for lack of memory even though nothing else ran, and
    `unanswered` whether it was asked for its stack and had to be killed before it was done with it.
    """

    end: End
    exit_code: int
    seconds: float
    cpu_seconds: float
    peak_memory: int
    stdout: str
    stderr: str
    starved: bool = False
    unanswered: bool = False


class Reader(Protocol):
    """Reads the output of a program while it runs."""

    def __call__(self, stream: str, chunk: bytes) -> bool:
        """Consume a chunk of `stdout` or `stderr`; return True to end the program now."""

    def restart(self) -> None:
        """Discard everything read so far: the program is being restarted."""


class Runner(Protocol):
    """A function that runs a program: `run_process` or a faster equivalent."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        limits: Limits,
        cancel: threading.Event | None = None,
        reader: Reader | None = None,
        symbolize: bool = False,
    ) -> ProcessResult: ...


class Cancel(threading.Event):
    """An event that also wakes whoever waits for files. Not to be set by a signal handler."""

    def __init__(self) -> None:
        super().__init__()
        self._files: set[int] = set()
        self._lock = threading.Lock()

    def set(self) -> None:
        """Set the event, and make the files of those who wait for it readable."""
        with self._lock:
            super().set()
            for file in self._files:
                os.eventfd_write(file, 1)

    @contextmanager
    def file(self) -> Iterator[int | None]:
        """A file that is readable once the event is set; None where there are no such files."""
        if not hasattr(os, "eventfd"):
            yield None
            return
        file = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        with self._lock:
            self._files.add(file)
            if self.is_set():
                os.eventfd_write(file, 1)
        try:
            yield file
        finally:
            with self._lock:
                self._files.remove(file)
            os.close(file)
