"""One run of a program as plain data, and its execution on a worker.

Paths differ between machines. Those in the toolchain cache are sent relative to the cache, and the
worker installs the toolchain on first use.
"""

import errno
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from oracles import Limits, ProcessResult, run_process
from oracles.run.confinement import Confinement, current_confinement, landlock
from reducer.toolchain import install
from reducer.toolchain.model import COMPILER_PACKAGE, toolchains_folder

_IN_CACHE = "mlir-reducer-toolchain:"

_running: dict[str, threading.Event] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class RemoteJob:
    """Runs `argv` in a folder that contains exactly these `files`, by name.

    It is confined if a file says what runs, and the worker's kernel must be able to do that.
    """

    argv: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    limits: Limits
    is_confined: bool = False


def job_of(argv: Sequence[str], cwd: Path, limits: Limits) -> RemoteJob:
    """The job that runs `argv` in `cwd` with a copy of the files there."""
    files = [(path.name, path.read_bytes()) for path in sorted(cwd.iterdir()) if path.is_file()]
    argv = tuple(map(_portable, argv))
    return RemoteJob(argv, tuple(files), limits, current_confinement() is not None)


def run_job(job: RemoteJob, id: str) -> ProcessResult:
    """Run a job on this machine until it ends or `cancel_job(id)` is called.

    Raises:
        OSError: the program cannot be started, or not confined.
        ToolchainError: the toolchain cannot be installed.
    """
    with cancellable(id) as cancel, tempfile.TemporaryDirectory(prefix="job-") as folder:
        for name, data in job.files:
            (Path(folder) / Path(name).name).write_bytes(data)
        argv = [_local(word) for word in job.argv]
        if job.is_confined and not landlock():
            raise OSError(errno.ENOSYS, "the kernel of the worker has no Landlock to confine it")
        how = Confinement() if job.is_confined else None
        place = Path(folder)
        return run_process(argv, cwd=place, limits=job.limits, cancel=cancel, confinement=how)


def cancel_job(id: str) -> None:
    """End a job if it is running in this process."""
    with _lock:
        event = _running.get(id)
    if event is not None:
        event.set()


@contextmanager
def cancellable(id: str) -> Iterator[threading.Event]:
    """An event that `cancel_job(id)` sets while the body of the `with` is running."""
    event = threading.Event()
    with _lock:
        _running[id] = event
    try:
        yield event
    finally:
        with _lock:
            del _running[id]


def _portable(word: str) -> str:
    """A path into the toolchain cache, in a form that is independent of the machine."""
    folder = f"{toolchains_folder()}{os.sep}"
    return f"{_IN_CACHE}{word.removeprefix(folder)}" if word.startswith(folder) else word


def _local(word: str) -> str:
    """The path on this machine; installs the toolchain if necessary."""
    if not word.startswith(_IN_CACHE):
        return word
    inside = word.removeprefix(_IN_CACHE)
    package = inside.partition(os.sep)[0]
    if package.startswith(f"{COMPILER_PACKAGE}-"):
        install(package.removeprefix(f"{COMPILER_PACKAGE}-"))
    return str(toolchains_folder() / inside)
