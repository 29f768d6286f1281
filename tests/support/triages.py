"""Triage databases built by hand, and compilers that return what a test needs."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from oracles import Kind, Outcome, Signature, run_process
from oracles.run.limits import Runner
from oracles.signature.diagnostics import Diagnostic
from reducer.triage import (
    Compiler,
    Configuration,
    Database,
    FlagsLine,
    LocalExecutor,
    RunMatrix,
    Summary,
    Task,
    TaskResult,
    Triage,
    TriageOptions,
    find_compiler,
    find_inputs,
)
from reducer.triage.reproducers import Reproducer, keep
from reducer.triage.store import Caps, Store

CAPS = Caps(10.0, None)
SUCCESS = Signature(Kind.SUCCESS)
OPTIONS = TriageOptions(Caps(120.0, None))


def release(version: str) -> Compiler:
    """A compiler that is never run."""
    return Compiler("iree-compile", version, f"test {version}")


def configuration(version: str, *flags: str) -> Configuration:
    """A release with flags."""
    return Configuration(release(version), flags, "/")


def failure(template: str = "bad", kind: Kind = Kind.VERIFIER, **facts: object) -> Signature:
    """A signature."""
    return Signature(kind, template, **facts)  # type: ignore[arg-type]


class Records:
    """A database with results that no run produced."""

    def __init__(self, folder: Path, run: int = 1) -> None:
        self.database = Database.open(folder / "triage.sqlite")
        self.store = Store(self.database, run)

    def result(
        self,
        digest: str,
        version: str,
        signature: Signature,
        *flags: str,
        file: bool = True,
        diagnostics: tuple[Diagnostic, ...] = (),
        runs: int = 1,
    ) -> int:
        """An input that ends like this; `file` says whether it is one, and no reproducer."""
        self.store.add_input(digest, 100, 10)
        if file:
            self.database.write(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?)", f"{digest}.mlir", digest, 1
            )
        number = self.store.configuration(configuration(version, *flags))
        outcome = Outcome(signature.kind, signature, seconds=1.0, diagnostics=diagnostics)
        self.store.put(digest, number, outcome, CAPS, bug=file, runs=runs)
        return number

    def reproducer(self, bucket: str, digest: str, version: str, text: str) -> str:
        """A minimal reproducer of a bucket; its own content's name."""
        found = Reproducer("reduced", text, (), 1, 1, len(text), 10, 5, 1.0, True, True, "")
        number = self.store.configuration(configuration(version))
        keep(
            self.store,
            bucket,
            (digest, number),
            found,
            reduced_configuration=number,
            max_calls=None,
        )
        value = self.database.value("SELECT reproducer FROM reproducers WHERE bucket = ?", bucket)
        return str(value)


class Scripted:
    """An executor whose results come from a function, immediately and on the caller's thread."""

    def __init__(self, answer: Callable[[Task], TaskResult], capacity: int = 2) -> None:
        self._answer = answer
        self.capacity = capacity
        self.tasks: list[Task] = []
        self.runner: Runner = run_process

    def submit(self, task: Task) -> "Future[TaskResult]":
        self.tasks.append(task)
        future: Future[TaskResult] = Future()
        future.set_result(self._answer(task))
        return future

    def close(self) -> None: ...


def answer(signature: Signature) -> TaskResult:
    """The result of a run with this signature."""
    return TaskResult(Outcome(signature.kind, signature, seconds=1.0).to_json(), runs=1)


class Silent:
    """A watcher that records messages."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.phases: list[tuple[str, int]] = []
        self.steps = 0
        self._lock = threading.Lock()

    def phase(self, name: str, total: int) -> None:
        self.phases.append((name, total))

    def step(self, text: str = "") -> None:
        with self._lock:
            self.steps += 1

    def note(self, text: str) -> None: ...

    def message(self, text: str) -> None:
        self.messages.append(text)


def write_all(folder: Path, files: dict[str, str | bytes]) -> Sequence[Path]:
    """Write files, creating their folders."""
    paths = []
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        paths.append(path)
    return paths


def triaged(
    folder: Path,
    versions: tuple[str, ...],
    *lines: FlagsLine,
    common: tuple[str, ...] = ("--iree-hal-target-backends=llvm-cpu",),
    options: TriageOptions = OPTIONS,
) -> Summary:
    """A triage of a folder by releases of IREE, with the database next to the inputs."""
    compilers = tuple(find_compiler("iree-compile", version) for version in versions)
    return triaged_by(folder, compilers, *lines, common=common, options=options)


def triaged_by(
    folder: Path,
    compilers: tuple[Compiler, ...],
    *lines: FlagsLine,
    common: tuple[str, ...] = (),
    options: TriageOptions = OPTIONS,
) -> Summary:
    """A triage of a folder by any compilers, with the database next to the inputs."""
    inputs, unreadable = find_inputs([folder])
    plan = RunMatrix(compilers, lines, common, "/")
    executor = LocalExecutor(1)
    try:
        with Database.open(folder / ".t" / "t.sqlite") as database:
            stop = threading.Event()
            run = Triage(database, plan, options, executor, Silent(), stop)
            return run.run(inputs, unreadable)
    finally:
        executor.close()
