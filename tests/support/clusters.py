"""A Dask cluster on this machine: its scheduler, and workers that are threads or processes."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from distributed import LocalCluster as Scheduler

from reducer.cluster.worker import serve
from tests.support.fake_compilers import wait_until

_PATIENCE = 60.0  # seconds


class LocalCluster:
    """A scheduler in this process, and its workers."""

    def __init__(self, folder: Path, scheduler: Scheduler) -> None:
        self.address = str(scheduler.scheduler_address)
        self._folder = folder
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._processes: list[subprocess.Popen[bytes]] = []

    def add_thread(self, versions: Sequence[str], slots: int = 1) -> None:
        """Start a worker in this process and wait until it works."""
        said: list[str] = []
        worker = threading.Thread(
            target=serve, args=(self.address, versions, slots, self._stop, said.append)
        )
        worker.start()
        self._threads.append(worker)
        assert wait_until(lambda: bool(said), _PATIENCE), "the worker does not start"

    def add_worker(self, versions: Sequence[str], **environment: str) -> "subprocess.Popen[bytes]":
        """Start a worker that can be killed, and wait until it works.

        Without versions, it offers what is installed.
        """
        log = self._folder / f"worker{len(self._processes)}.log"
        words = ["worker", self.address, "--jobs", "1"]
        if versions:
            words += ["--iree", ",".join(versions)]
        with log.open("wb") as stream:
            worker = subprocess.Popen(
                [sys.executable, "-m", "reducer", *words],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                cwd=self._folder,
                env={**os.environ, **environment},
            )
        self._processes.append(worker)
        connected = wait_until(lambda: "connected to" in log.read_text("utf-8"), _PATIENCE)
        assert connected, log.read_text("utf-8")
        return worker

    def end(self) -> None:
        """End all workers."""
        self._stop.set()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(_PATIENCE)
        for thread in self._threads:
            thread.join(_PATIENCE)


@contextmanager
def local_cluster(folder: Path) -> Iterator[LocalCluster]:
    """A cluster that ends with the body of the `with`."""
    folder.mkdir(parents=True, exist_ok=True)
    with Scheduler(
        n_workers=0,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        scheduler_kwargs={"dashboard": False, "dashboard_address": ":0"},
        silence_logs=False,
    ) as scheduler:
        cluster = LocalCluster(folder, scheduler)
        try:
            yield cluster
        finally:
            cluster.end()
