"""A Dask cluster that runs compilers; workers offer compiler versions as Dask resources."""

import threading
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from oracles import End, Limits, ProcessResult, run_process
from oracles.run.limits import Reader
from oracles.run.run_process import had_full_disk, is_full_disk
from reducer.cluster.job import cancel_job, job_of, run_job
from reducer.errors import Unavailable
from reducer.toolchain.model import COMPILER_PACKAGE, toolchains_folder


def resource_name(version: str) -> str:
    """The Dask resource for runs of a compiler version: `iree-3.13.0`."""
    return f"iree-{version}"


def resources_of(versions: Iterable[str], slots: int) -> dict[str, float]:
    """The resources of a worker that runs `slots` compilers at once."""
    return {resource_name(version): float(slots) for version in versions}


def required_resources(program: Path) -> dict[str, float]:
    """The resources that a run of this program needs.

    Empty for programs outside the toolchain cache, which must have the same path on the worker.
    """
    try:
        inside = program.absolute().relative_to(toolchains_folder())
    except ValueError:
        return {}
    version = inside.parts[0].removeprefix(f"{COMPILER_PACKAGE}-")
    return {resource_name(version): 1.0}


def slots(workers: Iterable[Mapping[str, Any]], wanted: Mapping[str, float]) -> int:
    """The number of such runs that the workers (as described by the scheduler) can do at once."""
    total = 0
    for worker in workers:
        offered = worker.get("resources") or {}
        limits = [offered.get(name, 0.0) / amount for name, amount in wanted.items()]
        total += int(min([worker.get("nthreads", 1), *limits]))
    return total


_CONNECT_TIMEOUT = 10.0  # seconds to connect to the scheduler
_GONE = "no connection to the scheduler"
_FULL = "a worker has no space left for temporary files"
_POLL_SECONDS = 0.05  # how often to check whether a run was canceled

T = TypeVar("T")


class RunCancelled(Exception):
    """The result of the run is no longer needed."""


class RunLost(Exception):
    """The cluster failed to complete a run; the run itself is not at fault."""


class Cluster:
    """The workers behind one scheduler. Thread-safe.

    If a worker dies, Dask reruns its tasks on another one.
    """

    def __init__(self, address: str) -> None:
        """Connect. Raises Unavailable if Dask is not installed or no scheduler responds."""
        try:
            from distributed import Client
        except ImportError:
            raise Unavailable(
                "a scheduler needs Dask: pip install 'mlir-reducer[cluster]'"
            ) from None
        try:
            self._client: Any = Client(address, timeout=_CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise Unavailable(
                f"no Dask scheduler answers at {address} ({error}); start one with: dask scheduler"
            ) from None
        self.address = address

    def capacity(self, wanted: Mapping[str, float]) -> int:
        """The number of runs with these resource needs that can proceed at once.

        Raises:
            Unavailable: no worker has the resources, so such runs would wait forever.
        """
        with suppress(TimeoutError):  # one that was started just now is not there yet
            self._client.wait_for_workers(1, timeout=_CONNECT_TIMEOUT)
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        free = slots(workers, wanted)
        if not free:
            names = ", ".join(wanted) or "any program"
            raise Unavailable(
                f"none of the {len(workers)} workers at {self.address} offers {names}; start one "
                f"with: mlir-reducer worker {self.address} --iree VERSION"
            )
        return free

    def run(
        self,
        function: Callable[[str], T],
        wanted: Mapping[str, float],
        cancel: threading.Event | None = None,
    ) -> T:
        """Call `function` on a worker, with an id for use with `cancel_job`, and return its result.

        Raises:
            RunCancelled: `cancel` was set; the run has been ended.
            RunLost: the cluster failed, not the function. Exceptions of the function are reraised.
        """
        from distributed import KilledWorker
        from distributed.client import ClosedClientError, FutureCancelledError
        from distributed.comm import CommClosedError

        id = f"mlir-reducer-{uuid.uuid4().hex}"
        try:
            future = self._client.submit(function, id, key=id, pure=False, resources=dict(wanted))
        except (ClosedClientError, CommClosedError) as error:
            raise RunLost(_GONE) from error
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        while not done.wait(_POLL_SECONDS):
            if cancel is not None and cancel.is_set():
                self._end(id, future)
                raise RunCancelled
        try:
            answer: T = future.result()
        except (FutureCancelledError, CommClosedError) as error:
            raise RunLost(_GONE) from error
        except KilledWorker as error:
            raise RunLost(str(error)) from error
        return answer

    def close(self) -> None:
        """Disconnect from the cluster; pending runs are dropped."""
        self._client.close()

    def _end(self, id: str, future: Any) -> None:
        """Remove a run from the queue, or kill it where it is running.

        A worker that has lost the scheduler ends its runs itself.
        """
        from distributed.client import ClosedClientError
        from distributed.comm import CommClosedError

        with suppress(ClosedClientError, CommClosedError, OSError):
            future.cancel(force=True)
            self._client.run(cancel_job, id, on_error="ignore")


_CANCELLED = ProcessResult(End.CANCELLED, -9, 0.0, 0.0, 0, "", "")


class ClusterRunner:
    """Runs programs on workers that offer them, with the same outcome as a local run.

    The files in the working directory are sent along; output files are not returned, because only
    the printed output matters. `log` is told once if the cluster fails and runs become local.
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
        symbolize: bool = False,
    ) -> ProcessResult:
        """Run `argv` on a worker, or here if its output has to be read while it runs."""
        here = partial(
            run_process,
            argv,
            cwd=cwd,
            limits=limits,
            cancel=cancel,
            reader=reader,
            symbolize=symbolize,
        )
        if reader is not None:
            return here()
        job = partial(run_job, job_of(argv, cwd, limits))
        try:
            return self._there(job, required_resources(Path(argv[0])), cancel)
        except RunCancelled:
            return _CANCELLED
        except RunLost as error:
            if not self._told:
                self._told = True
                self._log(f"the cluster lost a run ({error}); running it on this machine instead")
            return here()

    def _there(
        self,
        job: Callable[[str], ProcessResult],
        wanted: Mapping[str, float],
        cancel: threading.Event | None,
    ) -> ProcessResult:
        """The result on a worker, whose disk may be full."""
        try:
            result = self._cluster.run(job, wanted, cancel)
        except OSError as error:
            if not is_full_disk(error):
                raise
            raise RunLost(_FULL) from error
        if had_full_disk(result):
            raise RunLost(_FULL)
        return result
