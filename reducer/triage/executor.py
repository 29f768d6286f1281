"""Where tasks are carried out. Here: threads of this process, each of which waits for a compiler.

Whoever has more machines implements the same few methods; a task is plain data.
"""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from oracles import run_process
from oracles.limits import Runner
from reducer.triage.task import Answer, Task, run_task


class Executor(Protocol):
    """Carries out tasks. What a task answers must not depend on where and when it runs."""

    @property
    def capacity(self) -> int:
        """How many tasks run at once: no more need be handed in."""
        ...

    @property
    def runner(self) -> Runner:
        """What the compilers of a reduction are run with."""
        ...

    def submit(self, task: Task) -> "Future[Answer]":
        """Starts a task, or puts it in line.

        The future has an exception only where the executor itself failed, and not the task.
        """
        ...

    def close(self) -> None:
        """Cancels what is under way (its answers say so), and waits until nothing runs any more."""
        ...


class LocalExecutor:
    """Carries out tasks on this machine, `jobs` at once."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._cancel = threading.Event()
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="triage")

    @property
    def capacity(self) -> int:
        return self._jobs

    @property
    def runner(self) -> Runner:
        return run_process

    def submit(self, task: Task) -> "Future[Answer]":
        return self._pool.submit(run_task, task, self._cancel)

    def close(self) -> None:
        self._cancel.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
