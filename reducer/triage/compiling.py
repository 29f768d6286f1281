"""Runs what has not been run before, together with whoever else works on the same database."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Protocol

from reducer.session.errors import ReducerError
from reducer.triage.configuration import Configuration
from reducer.triage.executor import Executor
from reducer.triage.leases import Leases
from reducer.triage.store import Caps, Store
from reducer.triage.task import Answer, Task, outcome_of

_PAUSE = 0.2  # seconds between looks at the clock, at the user, and at what others have done


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
    """Carries out jobs. `runs` counts the compilers that this process has started for them."""

    def __init__(
        self,
        store: Store,
        leases: Leases,
        executor: Executor,
        caps: Caps,
        stop: threading.Event,
        watcher: Watcher,
    ) -> None:
        self._store = store
        self._leases = leases
        self._executor = executor
        self._caps = caps
        self._stop = stop
        self._watcher = watcher
        self.runs = 0
        self.problems: dict[Job, str] = {}

    def left(self, jobs: Iterable[Job]) -> int:
        """How many jobs have no result yet."""
        return sum(not self._settled(job) for job in jobs)

    def run(self, jobs: Iterable[Job]) -> None:
        """Returns when each job has a result in the database, by whomever, or a problem.

        Returns early when the user wants to stop.
        """
        waiting = [job for job in jobs if not self._settled(job)]
        running: dict[Future[Answer], Job] = {}
        try:
            while (waiting or running) and not self._stop.is_set():
                waiting = self._start(waiting, running)
                if running:
                    done, _ = wait(running, timeout=_PAUSE, return_when=FIRST_COMPLETED)
                    for future in done:
                        self._take(running.pop(future), future)
                else:
                    self._stop.wait(_PAUSE)  # the rest is with others
        finally:
            for future, job in running.items():
                future.cancel()
                self._leases.give_back(self._name(job))

    def _start(self, waiting: list[Job], running: dict[Future[Answer], Job]) -> list[Job]:
        """Hands in as many jobs as there is room for; those that are still to do."""
        left: list[Job] = []
        for number, job in enumerate(waiting):
            if len(running) >= self._executor.capacity:
                return [*left, *waiting[number:]]
            if self._settled(job):  # somebody else has done it
                self._watcher.step()
            elif not self._leases.claim(self._name(job)):
                left.append(job)
            elif self._settled(job):  # just before we took it
                self._leases.give_back(self._name(job))
                self._watcher.step()
            else:
                self._submit(job, running)
        return left

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
        self._leases.give_back(self._name(job))
        self._watcher.step(outcome.signature.text)

    def _give_up(self, job: Job, problem: str) -> None:
        """Tells why a job has no result; another run of the program tries again."""
        self.problems[job] = problem
        self._leases.give_back(self._name(job))
        self._watcher.step(problem)

    def _settled(self, job: Job) -> bool:
        number = self._store.configuration(job.configuration)
        return self._store.settled(job.digest, number, self._caps) is not None

    def _name(self, job: Job) -> str:
        return f"compile:{job.digest}:{self._store.configuration(job.configuration)}"
