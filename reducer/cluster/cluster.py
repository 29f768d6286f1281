"""A Dask cluster, seen as a place where runs of compilers are carried out."""

import threading
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from reducer.cluster.job import cancel_job
from reducer.cluster.resources import slots
from reducer.session.errors import Unavailable

_PATIENCE = 10.0  # seconds to find the scheduler
_GLANCE = 0.05  # seconds between two looks at whether a run is still wanted

T = TypeVar("T")


class Cancelled(Exception):
    """Nobody wants the answer any more."""


class Lost(Exception):
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
            self._client: Any = Client(address, timeout=_PATIENCE, set_as_default=False)
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
        while not done.wait(_GLANCE):
            if cancel is not None and cancel.is_set():
                self._end(id, future)
                raise Cancelled
        try:
            answer: T = future.result()
        except (KilledWorker, FutureCancelledError, CommClosedError) as error:
            raise Lost(str(error)) from error
        return answer

    def close(self) -> None:
        """Leaves the cluster; what we still had there is dropped."""
        self._client.close()

    def _end(self, id: str, future: Any) -> None:
        """A run that waits is taken out of line; one that goes on is killed where it is."""
        future.cancel(force=True)
        self._client.run(cancel_job, id, on_error="ignore")
