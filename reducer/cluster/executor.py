"""Run triage tasks on a cluster."""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial

from oracles.run.limits import Runner
from reducer.cluster.cluster import Cluster, ClusterRunner, RunCancelled, RunLost, resource_name
from reducer.cluster.job import cancellable
from reducer.triage.configurations import Compiler
from reducer.triage.running import Executor, LocalExecutor, Task, TaskResult, run_task


class ClusterExecutor:
    """Sends each task to a worker that offers its compiler, waiting for a free one if needed.

    A task that the cluster loses is run locally.
    """

    def __init__(
        self, cluster: Cluster, versions: Iterable[str | None], log: Callable[[str], None]
    ) -> None:
        """`versions` are those that tasks will need; None is a program outside the releases.

        Raises:
            Unavailable: no worker offers one of them.
        """
        self._cluster = cluster
        self._capacity = sum(cluster.capacity(_needed(version)) for version in versions)
        self._runner = ClusterRunner(cluster, log)
        self._cancel = threading.Event()
        self._pool = ThreadPoolExecutor(self._capacity, thread_name_prefix="cluster")

    @property
    def capacity(self) -> int:
        return self._capacity

    @property
    def runner(self) -> Runner:
        return self._runner

    def submit(self, task: Task) -> "Future[TaskResult]":
        return self._pool.submit(self._carried_out, task)

    def close(self) -> None:
        self._cancel.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _carried_out(self, task: Task) -> TaskResult:
        try:
            return self._cluster.run(partial(_run, task), _needed(task.version), self._cancel)
        except RunCancelled:
            return TaskResult(None, "interrupted")
        except RunLost:
            return run_task(task, self._cancel)


def _run(task: Task, id: str) -> TaskResult:
    with cancellable(id) as cancel:
        return run_task(task, cancel)


def _needed(version: str | None) -> dict[str, float]:
    return {} if version is None else {resource_name(version): 1.0}


@contextmanager
def executing(
    compilers: Iterable[Compiler], jobs: int | str, log: Callable[[str], None]
) -> Iterator[Executor]:
    """The executor of a triage's tasks: this machine, or a cluster.

    Raises:
        Unavailable: the cluster does not exist, or no worker has one of the compilers.
    """
    with ExitStack() as held:
        executor: Executor
        if isinstance(jobs, int):
            executor = LocalExecutor(jobs)
        else:
            cluster = Cluster(jobs.rpartition(",")[2])
            held.callback(cluster.close)
            executor = ClusterExecutor(cluster, {one.version for one in compilers}, log)
        held.callback(executor.close)
        yield executor
