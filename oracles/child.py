"""A child process: its pipes, its end, and what the kernel says that it used."""

import os
import select
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from oracles.guard import start_program


@dataclass(frozen=True)
class Usage:
    """The kernel's resource usage of an ended run; `status` is from `wait`, memory in bytes.

    Processor time is that of all processes, memory that of the largest one.
    """

    status: int
    cpu_seconds: float
    peak_memory: int


class Child:
    """A program that leads a session of its own, with two pipes to read from.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, words: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self.stdout, stdout = os.pipe()
        self.stderr, stderr = os.pipe()
        try:
            self._keeper, self.pid = start_program(words, folder, env, stdout, stderr)
        except BaseException:
            os.close(self.stdout)
            os.close(self.stderr)
            raise
        finally:
            os.close(stdout)
            os.close(stderr)
        self.keeper = self._keeper.pid
        """The process of which all processes of the run are descendants."""
        self.pidfd: int | None = None
        """Readable once the process has ended; without it the end is noticed a tick later."""
        with suppress(AttributeError, OSError):
            self.pidfd = os.pidfd_open(self.pid)

    def has_exited(self) -> bool:
        """Whether the process has ended; its pid cannot be reused until `end`."""
        if self.pidfd is None:
            return self._keeper.has_exited()
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def end(self) -> Usage:
        """Kill all processes of the run."""
        return Usage(*self._keeper.end())

    def close(self) -> None:
        """Close the descriptors."""
        for file in (self.pidfd, self.stdout, self.stderr):
            if file is not None:
                os.close(file)
