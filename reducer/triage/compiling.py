"""Runs what has not been run before."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Protocol

from reducer.session.errors import ReducerError
from reducer.triage.configuration import Configuration
from reducer.triage.executor import Executor
from reducer.triage.store import Caps, Store
from reducer.triage.task import Answer, Task, outcome_of

_PAUSE = 0.2  # seconds between looks at whether the user wants to stop


@dataclass(frozen=True)
class Job:
    """An input to run in a configuration. `load` reads the content when it is needed."""

    digest: str
    configuration: Configuration
    load: Callable[[], bytes]
    bug: bool = True
    """Whether a failure is a bug: that of an empty module is the command's."""


class Watcher(Protocol):
    """Shows what goes on."""

    def phase(self, name: str, total: int) -> None:
        """A phase of so many steps begins."""
        ...

    def step(self, text: str = "") -> None:
        """A step is done; `text` says what came of it."""
        ...

    def note(self, text: str) -> None:
        """Says what is going on."""
        ...

    def message(self, text: str) -> None:
        """Something that a person should know."""
        ...


class Compiling:
    """Carries out jobs. `runs` counts the compilers that were started for them."""

    def __init__(
        self,
        store: Store,
        executor: Executor,
        caps: Caps,
        stop: threading.Event,
        watcher: Watcher,
    ) -> None:
        self._store = store
        self._executor = executor
        self._caps = caps
        self._stop = stop
        self._watcher = watcher
        self.runs = 0
        self.problems: dict[Job, str] = {}

    def left(self, jobs: Iterable[Job]) -> int:
        """How many jobs have no result yet."""
        return len(self._unsettled(jobs))

    def run(self, jobs: Iterable[Job]) -> None:
        """Returns when each job has a result in the database or a problem.

        Returns early when the user wants to stop.
        """
        waiting = iter(self._unsettled(jobs))
        running: dict[Future[Answer], Job] = {}
        try:
            while not self._stop.is_set():
                while len(running) < self._executor.capacity and (job := next(waiting, None)):
                    self._submit(job, running)
                if not running:
                    return
                done, _ = wait(running, timeout=_PAUSE, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(running.pop(future), future)
        finally:
            for future in running:
                future.cancel()

    def _unsettled(self, jobs: Iterable[Job]) -> list[Job]:
        """Jobs without a result; of those that are the same run, one."""
        found: dict[tuple[str, int], Job] = {}
        for job in jobs:
            number = self._store.configuration(job.configuration)
            if self._store.settled(job.digest, number, self._caps) is None:
                found.setdefault((job.digest, number), job)
        return list(found.values())

    def _submit(self, job: Job, running: dict[Future[Answer], Job]) -> None:
        compiler = job.configuration.compiler
        try:
            data = job.load()
        except ReducerError as error:
            self._give_up(job, str(error))
            return
        task = Task(
            data,
            compiler.program,
            compiler.version,
            job.configuration.flags,
            job.configuration.directory,
            self._caps.seconds,
            self._caps.memory,
        )
        running[self._executor.submit(task)] = job

    def _take(self, job: Job, future: Future[Answer]) -> None:
        answer = future.result()
        self.runs += answer.runs
        outcome = outcome_of(answer)
        if outcome is None:
            self._give_up(job, answer.problem)
            return
        number = self._store.configuration(job.configuration)
        self._store.put(job.digest, number, outcome, self._caps, bug=job.bug)
        self._watcher.step(outcome.signature.text)

    def _give_up(self, job: Job, problem: str) -> None:
        """Tells why a job has no result; another run of the program tries again."""
        self.problems[job] = problem
        self._watcher.step(problem)
