"""A child process: its pipes, its end, and what the kernel says that it used."""

import os
import resource
import subprocess
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """The kernel's resource usage of an ended child; `status` is from `wait`, memory in bytes.

    The peak is `doubtful` if it may be that of the parent.
    """

    status: int
    cpu_seconds: float
    peak_memory: int
    doubtful: bool = False


class Child:
    """A program that leads a session of its own, with two pipes to read from."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None and process.stderr is not None
        self._process = process
        self.pid = process.pid
        self.stdout = process.stdout.fileno()
        self.stderr = process.stderr.fileno()
        self.pidfd: int | None = None
        """Readable once the process has ended; without it the end is noticed a tick later."""
        with suppress(AttributeError, OSError):
            self.pidfd = os.pidfd_open(process.pid)

    def has_exited(self) -> bool:
        """Whether the process has ended; its pid cannot be reused until `reap`."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.pid, options) is not None

    def reap(self) -> Usage:
        """Wait for the process to end."""
        _, status, usage = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        largest = usage.ru_maxrss << 10
        # The kernel also counts our own pages, roughly, which a child shares until it starts its
        # program. Near our own size, only the memory sampled during the run is reliable.
        ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        doubtful = 0.9 * ours < largest < 1.1 * ours
        return Usage(status, usage.ru_utime + usage.ru_stime, largest, doubtful)

    def close(self) -> None:
        """Close the descriptors."""
        if self.pidfd is not None:
            os.close(self.pidfd)
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
