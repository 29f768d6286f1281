"""A Dask cluster of processes on this machine."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 60.0  # seconds


class LocalCluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def start(self) -> None:
        """Starts the scheduler and waits until it can be reached."""
        announced = self.folder / "scheduler.json"
        self._start(
            "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
            "--no-dashboard", "--scheduler-file", str(announced),
        )  # fmt: skip
        _wait(lambda: announced.exists() and announced.read_text().rstrip().endswith("}"))
        self.address = str(json.loads(announced.read_text())["address"])

    def add_worker(self, versions: Sequence[str], jobs: int = 1) -> "subprocess.Popen[bytes]":
        """Starts a worker and waits until it works."""
        log = self.folder / f"worker{len(self.workers)}.log"
        worker = self._start(
            "-m", "reducer", "worker", self.address, "--iree", ",".join(versions),
            "--jobs", str(jobs), log=log,
        )  # fmt: skip
        self.workers.append(worker)
        _wait(lambda: "connected to" in log.read_text())
        return worker

    def _start(self, *words: str, log: Path | None = None) -> "subprocess.Popen[bytes]":
        with (log or Path("/dev/null")).open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, *words],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                cwd=self.folder,
            )
        self.processes.append(process)
        return process


@contextmanager
def local_cluster(folder: Path) -> Iterator[LocalCluster]:
    """A cluster that ends with the body of the `with`."""
    folder.mkdir(parents=True, exist_ok=True)
    cluster = LocalCluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        for process in reversed(cluster.processes):
            process.terminate()
        for process in cluster.processes:
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the cluster does not start"
        time.sleep(0.05)
