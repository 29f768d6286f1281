"""What a run may use, and how it ended."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Limits:
    """What a run may use; None means unlimited.

    `seconds` is wall time less what it waited for a processor, `memory` bytes of resident memory
    of the whole process tree, `output` bytes kept of each of standard output and error, `disk`
    bytes of the largest file written, `cpu` seconds of processor time of each process.
    """

    seconds: float | None = None
    memory: int | None = None
    output: int = 4 << 20
    disk: int = 8 << 30
    cpu: float | None = None


class End(StrEnum):
    """Who ended the run: the program itself, a limit, or the caller (who may have seen enough)."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CANCELLED = "cancelled"
    STOPPED = "stopped"


@dataclass(frozen=True)
class ProcessResult:
    """How a process ended. `exit_code` is negative for a signal; times are in seconds.

    `starved` is whether the kernel killed it for want of memory, also when nothing else ran here.
    """

    end: End
    exit_code: int
    seconds: float
    cpu_seconds: float
    peak_memory: int
    stdout: str
    stderr: str
    starved: bool = False


class Reader(Protocol):
    """Reads what a program prints while it runs."""

    def __call__(self, stream: str, chunk: bytes) -> bool:
        """Takes some bytes of `stdout` or `stderr`; true to end the program now."""

    def restart(self) -> None:
        """Forgets everything: the program is started again."""


class Runner(Protocol):
    """A way to run a program: `run_process`, or one that does the same in less time."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        limits: Limits,
        cancel: threading.Event | None = None,
        reader: Reader | None = None,
    ) -> ProcessResult: ...
