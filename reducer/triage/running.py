"""Runs the compilers of a triage, here or on other machines, and never the same job twice.

A task names the compiler by its version, not by where it lies: each machine has its own cache.

Whoever has more machines implements the same few methods; a task is plain data.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from oracles import Command, CompilerOracle, Limits, Outcome, run_process
from oracles.command import verifying_tool
from oracles.limits import Runner
from reducer.errors import ReducerError
from reducer.session.conversions import OptPrinter
from reducer.storage.files import BYTECODE_MAGIC
from reducer.toolchain import ToolchainError, resolve_executable
from reducer.triage.configurations import Configuration
from reducer.triage.database import Caps, Store

_CONVERSION = 600.0  # seconds that turning bytecode into text may take


@dataclass(frozen=True)
class Task:
    """What to compile, with what, within which limits.

    `version` is that of an IREE release; None means that `program` is taken from PATH or is a
    path. `directory` is where relative paths in flags start. `seconds` and `memory` (bytes) limit
    the run.
    """

    data: bytes
    program: str
    version: str | None
    flags: tuple[str, ...]
    directory: str
    seconds: float
    memory: int | None = None


@dataclass(frozen=True)
class TaskResult:
    """What came of a task: an outcome as JSON values, or why it could not be carried out.

    `runs` counts compilers that were started.
    """

    outcome: dict[str, Any] | None
    problem: str = ""
    runs: int = 0


def run_task(task: Task, cancel: threading.Event | None = None) -> TaskResult:
    """Carries out a task. What keeps the compiler from running at all is no outcome of the input.

    Setting `cancel` ends it at once; that is no outcome either.
    """
    try:
        oracle = oracle_of(task.program, task.version, task.flags, task.directory, limits_of(task))
        text, runs = as_text(task.data, oracle)
        outcome = oracle.run(text, cancel=cancel)
    except (ReducerError, ToolchainError, OSError, ValueError) as error:
        return TaskResult(None, str(error))
    if outcome.cancelled:
        return TaskResult(None, "interrupted", runs + 1)
    return TaskResult(outcome.to_json(), runs=runs + 1)


def limits_of(task: Task) -> Limits:
    return Limits(task.seconds, task.memory)


def oracle_of(
    program: str, version: str | None, flags: Sequence[str], directory: str, limits: Limits
) -> CompilerOracle:
    """The oracle of a configuration on this machine.

    Raises ToolchainError where the compiler cannot be had.
    """
    executable = resolve_executable(program, version)
    command = Command.parse([program, *flags], directory=Path(directory))
    return CompilerOracle(command, executable, limits=limits)


def as_text(data: bytes, oracle: CompilerOracle) -> tuple[str | bytes, int]:
    """The input as text, turned into it by the compiler's own tool; and how often that ran.

    Bytecode that this version cannot read stays as it is, and the compiler says so itself.
    """
    if not data.startswith(BYTECODE_MAGIC):
        return data.decode(errors="surrogateescape"), 0
    opt = verifying_tool(oracle.executable)
    if opt is None:
        return data, 0
    limits = Limits(_CONVERSION, oracle.limits.memory)
    return OptPrinter(opt, limits).text_of(data) or data, 1


def outcome_of_task(answer: TaskResult) -> Outcome | None:
    """The outcome that an answer carries."""
    return None if answer.outcome is None else Outcome.from_json(answer.outcome)


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

    def submit(self, task: Task) -> "Future[TaskResult]":
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

    def submit(self, task: Task) -> "Future[TaskResult]":
        return self._pool.submit(run_task, task, self._cancel)

    def close(self) -> None:
        self._cancel.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


_POLL_SECONDS = 0.2  # seconds between looks at whether the user wants to stop


@dataclass(frozen=True)
class CompileJob:
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


class JobRunner:
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
        self.problems: dict[CompileJob, str] = {}

    def left(self, jobs: Iterable[CompileJob]) -> int:
        """How many jobs have no result yet."""
        return len(self._unsettled(jobs))

    def run(self, jobs: Iterable[CompileJob]) -> None:
        """Returns when each job has a result in the database or a problem.

        Returns early when the user wants to stop.
        """
        waiting = iter(self._unsettled(jobs))
        running: dict[Future[TaskResult], CompileJob] = {}
        try:
            while not self._stop.is_set():
                while len(running) < self._executor.capacity and (job := next(waiting, None)):
                    self._submit(job, running)
                if not running:
                    return
                done, _ = wait(running, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(running.pop(future), future)
        finally:
            for future in running:
                future.cancel()

    def _unsettled(self, jobs: Iterable[CompileJob]) -> list[CompileJob]:
        """Jobs without a result; of those that are the same run, one."""
        found: dict[tuple[str, int], CompileJob] = {}
        for job in jobs:
            number = self._store.configuration(job.configuration)
            if self._store.settled(job.digest, number, self._caps) is None:
                found.setdefault((job.digest, number), job)
        return list(found.values())

    def _submit(self, job: CompileJob, running: dict[Future[TaskResult], CompileJob]) -> None:
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

    def _take(self, job: CompileJob, future: Future[TaskResult]) -> None:
        answer = future.result()
        self.runs += answer.runs
        outcome = outcome_of_task(answer)
        if outcome is None:
            self._give_up(job, answer.problem)
            return
        number = self._store.configuration(job.configuration)
        self._store.put(job.digest, number, outcome, self._caps, bug=job.bug)
        self._watcher.step(outcome.signature.text)

    def _give_up(self, job: CompileJob, problem: str) -> None:
        """Tells why a job has no result; another run of the program tries again."""
        self.problems[job] = problem
        self._watcher.step(problem)
