"""A Dask cluster as a place to run compilers; workers offer versions as Dask resources."""

import threading
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from oracles import End, Limits, ProcessResult, run_process
from oracles.limits import Reader
from reducer.cluster.job import cancel_job, job_of, run_job
from reducer.errors import Unavailable
from reducer.toolchain.model import COMPILER_PACKAGE, toolchains_folder


def resource_name(version: str) -> str:
    """What a worker calls the runs that it can make with a version: `iree-3.13.0`."""
    return f"iree-{version}"


def resources_of(versions: Iterable[str], slots: int) -> dict[str, float]:
    """What a worker offers that runs `slots` compilers at once."""
    return {resource_name(version): float(slots) for version in versions}


def required_resources(program: Path) -> dict[str, float]:
    """What a run of this program takes of a worker; nothing if it is no cached toolchain's.

    Such a program is looked for at the same path on the worker.
    """
    try:
        inside = program.absolute().relative_to(toolchains_folder())
    except ValueError:
        return {}
    version = inside.parts[0].removeprefix(f"{COMPILER_PACKAGE}-")
    return {resource_name(version): 1.0}


def slots(workers: Iterable[Mapping[str, Any]], wanted: Mapping[str, float]) -> int:
    """How many runs with these needs the workers, as the scheduler describes them, can make."""
    total = 0
    for worker in workers:
        offered = worker.get("resources") or {}
        limits = [offered.get(name, 0.0) / amount for name, amount in wanted.items()]
        total += int(min([worker.get("nthreads", 1), *limits]))
    return total


_CONNECT_TIMEOUT = 10.0  # seconds to find the scheduler
_POLL_SECONDS = 0.05  # seconds between two looks at whether a run is still wanted

T = TypeVar("T")


class RunCancelled(Exception):
    """Nobody wants the answer any more."""


class RunLost(Exception):
    """The cluster could not carry out a run, for a reason of its own."""


class Cluster:
    """The workers behind one scheduler. Safe to use from threads.

    What a worker had under way when it died is carried out by another: Dask sees to that.
    """

    def __init__(self, address: str) -> None:
        """Raises Unavailable where Dask is not installed, or where nobody answers."""
        try:
            from distributed import Client
        except ImportError:
            raise Unavailable(
                "--scheduler needs Dask: pip install 'mlir-reducer[cluster]'"
            ) from None
        try:
            self._client: Any = Client(address, timeout=_CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise Unavailable(
                f"no Dask scheduler answers at {address} ({error}); start one with: dask scheduler"
            ) from None
        self.address = address

    def capacity(self, wanted: Mapping[str, float]) -> int:
        """How many runs with these needs go on at once.

        Raises Unavailable where no worker meets them: such runs would wait for ever.
        """
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        found = slots(workers, wanted)
        if not found:
            names = ", ".join(wanted) or "any program"
            raise Unavailable(
                f"none of the {len(workers)} workers at {self.address} offers {names}; start one "
                f"with: mlir-reducer worker {self.address} --iree VERSION"
            )
        return found

    def run(
        self,
        function: Callable[[str], T],
        wanted: Mapping[str, float],
        cancel: threading.Event | None = None,
    ) -> T:
        """What `function` answers on a worker; it gets an id that `cancel_job` knows it by.

        Raises:
            Cancelled: `cancel` was set; the run is ended.
            Lost: the cluster failed, not the function. What that raises is raised here.
        """
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError
        from distributed.comm import CommClosedError

        id = f"mlir-reducer-{uuid.uuid4().hex}"
        future = self._client.submit(function, id, key=id, pure=False, resources=dict(wanted))
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        while not done.wait(_POLL_SECONDS):
            if cancel is not None and cancel.is_set():
                self._end(id, future)
                raise RunCancelled
        try:
            answer: T = future.result()
        except (KilledWorker, FutureCancelledError, CommClosedError) as error:
            raise RunLost(str(error)) from error
        return answer

    def close(self) -> None:
        """Leaves the cluster; what we still had there is dropped."""
        self._client.close()

    def _end(self, id: str, future: Any) -> None:
        """A run that waits is taken out of line; one that goes on is killed where it is."""
        future.cancel(force=True)
        self._client.run(cancel_job, id, on_error="ignore")


_CANCELLED = ProcessResult(End.CANCELLED, -9, 0.0, 0.0, 0, "", "")


class ClusterRunner:
    """Carries out runs on the workers that offer the program; the outcome is the same.

    The files beside the candidate travel with it, and no file comes back: only what a program
    prints counts. `say` hears, once, that the cluster failed and runs go on here.
    """

    def __init__(self, cluster: Cluster, log: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._log = log
        self._told = False

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        limits: Limits,
        cancel: threading.Event | None = None,
        reader: Reader | None = None,
    ) -> ProcessResult:
        """Runs `argv` somewhere. One whose output is read as it comes is run here."""
        here = partial(run_process, argv, cwd=cwd, limits=limits, cancel=cancel, reader=reader)
        if reader is not None:
            return here()
        job = partial(run_job, job_of(argv, cwd, limits))
        try:
            return self._cluster.run(job, required_resources(Path(argv[0])), cancel)
        except RunCancelled:
            return _CANCELLED
        except RunLost as error:
            if not self._told:
                self._told = True
                self._log(f"the cluster lost a run ({error}); it is made here instead")
            return here()
