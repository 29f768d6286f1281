"""Run the compilers of a triage, locally or on other machines, and no job twice.

A task names a compiler by its version rather than its path, because each machine has its own cache.
To run on other machines, implement `Executor`; tasks are plain data.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from oracles import Command, CompilerOracle, Limits, Oracle, Outcome, run_process
from oracles.compilers.command import verifying_tool
from oracles.run.confinement import Confinement, confine, current_confinement
from oracles.run.limits import Runner
from reducer.conversions import OptPrinter
from reducer.errors import ReducerError
from reducer.identity.short_limits import named_late
from reducer.intake.allowed import hidden_in_input, runs_reproducer
from reducer.storage.files import BYTECODE_MAGIC
from reducer.toolchain import ToolchainError, resolve_executable
from reducer.toolchain.metric_request import MetricRequest
from reducer.triage.configurations import Configuration
from reducer.triage.store import Caps, Store

_CONVERSION = 600.0  # seconds allowed for converting bytecode to text


@dataclass(frozen=True)
class Task:
    """What to compile, with which compiler and flags, and within which limits.

    `version` is an IREE release; if None, `program` is a path or is looked up in PATH. Relative
    paths in flags are resolved against `directory`. `seconds` and `memory` (bytes) limit the run.
    What passes is run `passes` times in all, and one of the runs that fails ends that. `metric` is
    the number that counts instead of failures.
    """

    data: bytes
    program: str
    version: str | None
    flags: tuple[str, ...]
    directory: str
    seconds: float
    memory: int | None = None
    passes: int = 1
    metric: MetricRequest | None = None


@dataclass(frozen=True)
class TaskResult:
    """The result of a task: an outcome in JSON form, or the problem that prevented the run.

    `runs` counts the compilers started, and `tries` the times that the input was compiled.
    """

    outcome: dict[str, Any] | None
    problem: str = ""
    runs: int = 0
    tries: int = 1


def run_task(task: Task, cancel: threading.Event | None = None) -> TaskResult:
    """Run a task. Failing to start the compiler is a problem, not an outcome of the input.

    Setting `cancel` ends the task at once, also without an outcome.
    """
    try:
        if runs_reproducer(task.flags) and current_confinement() is None:
            confine(Confinement())  # for good: this process runs what files say
        plain = oracle_of(task.program, task.version, task.flags, task.directory, limits_of(task))
        text, runs = as_text(task.data, plain)
        if what := hidden_in_input(task.flags, str(text), plain.executable):
            return TaskResult(None, f"the pipeline in it must not run: {what}")
        oracle = measuring(plain, task.metric, task.version, text)
        outcome, tries = oracle.run(text, cancel=cancel), 1
        while outcome.succeeded and tries < task.passes:
            outcome, tries = oracle.run(text, cancel=cancel), tries + 1
        late = named_late(outcome, oracle.limits, partial(oracle.run, text, cancel=cancel))
        runs, outcome = runs + (late is not outcome), late
    except (ReducerError, ToolchainError, OSError, ValueError) as error:
        return TaskResult(None, str(error))
    if outcome.cancelled:
        return TaskResult(None, "interrupted", runs + tries)
    return TaskResult(outcome.to_json(), runs=runs + tries, tries=tries)


def limits_of(task: Task) -> Limits:
    return Limits(task.seconds, task.memory)


def oracle_of(
    program: str, version: str | None, flags: Sequence[str], directory: str, limits: Limits
) -> CompilerOracle:
    """The oracle for a configuration on this machine.

    Raises:
        ToolchainError: the compiler cannot be installed or found.
    """
    executable = resolve_executable(program, version)
    command = Command.parse([program, *flags], directory=Path(directory))
    return CompilerOracle(command, executable, limits=limits)


def measuring(
    plain: CompilerOracle, metric: MetricRequest | None, version: str | None, text: str | bytes
) -> Oracle:
    """The oracle that measures what the compiler does with a text; the same without a metric."""
    if metric is None or isinstance(text, bytes):
        return plain
    release = [] if version is None else ["--iree", version]

    def shown(input_name: str) -> list[str]:
        return ["mlir-reducer", "check", input_name, *release]

    return metric.oracle(plain, text, shown=shown, progress=lambda text: None)


def as_text(data: bytes, oracle: CompilerOracle) -> tuple[str | bytes, int]:
    """The input as text, converted by the `…-opt` tool if necessary, and the number of tool runs.

    Bytecode that this version cannot read is returned unchanged; the compiler then reports it.
    """
    if not data.startswith(BYTECODE_MAGIC):
        return data.decode(errors="surrogateescape"), 0
    opt = verifying_tool(oracle.executable)
    if opt is None:
        return data, 0
    limits = Limits(_CONVERSION, oracle.limits.memory)
    return OptPrinter(opt, limits).text_of(data) or data, 1


def outcome_of_task(answer: TaskResult) -> Outcome | None:
    """The outcome of a task, or None if it had none."""
    return None if answer.outcome is None else Outcome.from_json(answer.outcome)


class Executor(Protocol):
    """Runs tasks. The result of a task must not depend on where and when it runs."""

    @property
    def capacity(self) -> int:
        """The number of tasks that run at once; callers need not submit more."""
        ...

    @property
    def runner(self) -> Runner:
        """Runs the compilers of a reduction."""
        ...

    def submit(self, task: Task) -> "Future[TaskResult]":
        """Start or queue a task.

        The future raises only if the executor itself failed, not if the task did.
        """
        ...

    def close(self) -> None:
        """Cancel running tasks (their results report it) and wait until all have stopped."""
        ...


class LocalExecutor:
    """Runs tasks on this machine, `jobs` at once."""

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


_POLL_SECONDS = 0.2  # how often to check whether the user wants to stop


@dataclass(frozen=True)
class CompileJob:
    """An input to run in a configuration. `load` reads its content when needed."""

    digest: str
    configuration: Configuration
    load: Callable[[], bytes]
    bug: bool = True
    """Whether a failure is a bug; if an empty module fails, the command is at fault."""
    excused: str = ""
    """The bucket of a failure that is none of the input's, since an empty module has it as well."""


class Watcher(Protocol):
    """Receives progress for display."""

    def phase(self, name: str, total: int) -> None:
        """A phase of `total` steps begins."""
        ...

    def step(self, text: str = "") -> None:
        """A step is done; `text` describes its result."""
        ...

    def note(self, text: str) -> None:
        """Shows what is currently happening."""
        ...

    def message(self, text: str) -> None:
        """Reports something the user should know."""
        ...


class Unwatched:
    """Shows nothing."""

    def phase(self, name: str, total: int) -> None:
        pass

    def step(self, text: str = "") -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def message(self, text: str) -> None:
        pass


class JobRunner:
    """Runs jobs. `runs` counts the compilers started, `problems` holds jobs that could not run."""

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
        """The number of jobs without a result."""
        return len(self._unsettled(jobs))

    def run(self, jobs: Iterable[CompileJob]) -> None:
        """Run until each job has a result in the database or a problem.

        Returns early if the user wants to stop.
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
        """Jobs without a result; only one of several that are the same run."""
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
            self._caps.passes,
            compiler.metric,
        )
        running[self._executor.submit(task)] = job

    def _take(self, job: CompileJob, future: Future[TaskResult]) -> None:
        answer = future.result()
        self.runs += answer.runs
        outcome = outcome_of_task(answer)
        if outcome is None:
            self._give_up(job, answer.problem)
            return
        if outcome.failed and outcome.signature.bucket == job.excused:
            said = (
                f"it holds no program; an empty module fails the same way: {outcome.signature.text}"
            )
            self._give_up(job, said)
            return
        number = self._store.configuration(job.configuration)
        self._store.put(job.digest, number, outcome, self._caps, bug=job.bug, runs=answer.tries)
        self._watcher.step(outcome.signature.text)

    def _give_up(self, job: CompileJob, problem: str) -> None:
        """Record why a job has no result; the next triage run tries it again."""
        self.problems[job] = problem
        self._watcher.step(problem)
