"""Resources of workers, and runs on a cluster with real compilers."""

import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import psutil
import pytest

from oracles import Command, CompilerOracle, End, Kind, Limits, ProcessResult
from reducer.cluster.cluster import Cluster, ClusterRunner, required_resources, resources_of, slots
from reducer.errors import Unavailable
from reducer.toolchain import Toolchain, toolchains_folder
from tests.conftest import NEWEST_TESTED
from tests.support.clusters import LocalCluster, local_cluster
from tests.support.corpus import load_case
from tests.support.fake_compilers import wait_until

OLD = {"nthreads": 4, "resources": {"iree-3.8.0": 4.0}}
NEW = {"nthreads": 2, "resources": {"iree-3.13.0": 2.0, "iree-3.8.0": 2.0}}
PLAIN = {"nthreads": 8, "resources": {}}


def test_a_cached_program_needs_its_version_and_any_other_nothing() -> None:
    cached = toolchains_folder() / "iree-base-compiler-3.8.0" / "iree" / "iree-compile"
    assert required_resources(cached) == {"iree-3.8.0": 1.0}
    assert required_resources(Path("/usr/bin/iree-compile")) == {}


def test_only_workers_that_offer_the_version_count() -> None:
    workers = [OLD, NEW, PLAIN]
    assert slots(workers, {"iree-3.8.0": 1.0}) == 6
    assert slots(workers, {"iree-3.13.0": 1.0}) == 2
    assert slots(workers, {"iree-3.3.0": 1.0}) == 0
    assert slots(workers, {}) == 14


def test_a_worker_offers_each_version_as_often_as_it_has_slots() -> None:
    assert resources_of(["3.8.0", "3.13.0"], 2) == {"iree-3.8.0": 2.0, "iree-3.13.0": 2.0}


CASE = "cat-zero-width"
RESULT_ONLY = "--no-pass-level", "--no-elsewhere", "--no-report"
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "MLIR_REDUCER_JOBS"},
    "PYTHONPATH": str(Path(__file__).parents[2]),
}
"""With all workers of a cluster, as by default."""


@pytest.fixture(scope="module")
def processes(
    tmp_path_factory: pytest.TempPathFactory, iree_compile: Path
) -> Iterator[LocalCluster]:
    """A scheduler with two workers. Tests that add workers remove them again."""
    with local_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        for _ in range(2):
            cluster.add_worker([NEWEST_TESTED])
        yield cluster


def reduce(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """Start a reduction in its own folder."""
    folder.mkdir()
    case = load_case(CASE)
    case.write_input(folder / "in.mlir")
    words = ["reduce", "in.mlir", "--iree", NEWEST_TESTED, *RESULT_ONLY, *options]
    return subprocess.Popen(
        [sys.executable, "-m", "reducer", *words, "--", "iree-compile", *case.runs[0].flags],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=ENVIRONMENT,
    )


def finished(process: "subprocess.Popen[str]", folder: Path) -> bytes:
    said, _ = process.communicate(timeout=250)
    assert process.returncode == 0, said
    return (folder / "in.reduced.mlir").read_bytes()


@pytest.mark.iree
def test_the_result_is_that_of_one_machine_also_when_a_worker_is_killed(
    processes: LocalCluster, tmp_path: Path
) -> None:
    alone = finished(reduce(tmp_path / "alone", "-j", "1"), tmp_path / "alone")
    doomed = processes.add_worker([NEWEST_TESTED])
    running = reduce(tmp_path / "many", "--scheduler", processes.address)
    while not (tmp_path / "many" / "in.reduced.mlir").exists():  # well under way
        assert running.poll() is None
        time.sleep(0.01)
    doomed.kill()
    assert finished(running, tmp_path / "many") == alone


@pytest.mark.iree
def test_outcomes_are_the_same_and_runs_can_be_cancelled(
    processes: LocalCluster, iree_toolchain: Callable[..., Toolchain]
) -> None:
    case = load_case(CASE)
    command = Command.parse(["iree-compile", *case.runs[0].flags])
    oracle = CompilerOracle(command, iree_toolchain().compile, limits=Limits(seconds=100))
    here = oracle.run(case.input_text())
    cluster = Cluster(processes.address)
    try:
        runner = oracle.runner = ClusterRunner(cluster, pytest.fail)
        there = oracle.run(case.input_text())
        assert (there.signature, there.diagnostics) == (here.signature, here.diagnostics)

        cancel, ends = threading.Event(), []
        waiting = threading.Thread(
            target=lambda: ends.append(
                runner(
                    ["/bin/sleep", "100"],
                    cwd=processes.folder / "empty",
                    limits=Limits(),
                    cancel=cancel,
                )
            )
        )
        (processes.folder / "empty").mkdir()
        waiting.start()
        time.sleep(0.5)  # it need not have started: a queued run is canceled as well
        cancel.set()
        waiting.join(timeout=30)
        assert [result.end for result in ends] == [End.CANCELLED]
        assert oracle.run("not MLIR").kind is Kind.INVALID_INPUT  # the slot is free again
    finally:
        cluster.close()


@pytest.mark.iree
def test_runs_go_on_here_if_the_scheduler_is_gone(iree_compile: Path, tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster") as processes:
        processes.add_worker([NEWEST_TESTED])
        cluster = Cluster(processes.address)
        told: list[str] = []
        runner = ClusterRunner(cluster, told.append)
        (tmp_path / "empty").mkdir()

        def echo() -> str:
            command = ["/bin/echo", "done"]
            return runner(command, cwd=tmp_path / "empty", limits=Limits(seconds=60)).stdout

        try:
            assert (echo(), told) == ("done\n", [])
            processes.processes[0].kill()
            processes.processes[0].wait()
            assert echo() == "done\n"
            cluster.close()  # as Dask does once it has tried for long enough
            assert echo() == "done\n"
            expected = "the cluster lost a run (no connection to the scheduler); running it on this"
            assert [text.startswith(expected) for text in told] == [True]
        finally:
            cluster.close()


class FullWorker:
    """A cluster whose worker has no space left, for the candidate or for files of the program."""

    def __init__(self, result: ProcessResult | OSError) -> None:
        self.result = result

    def run(self, *_: object) -> ProcessResult:
        if isinstance(self.result, OSError):
            raise self.result
        return self.result


@pytest.mark.parametrize(
    "result",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", "error: a.o: No space left on device\n"),
    ],
)
def test_runs_are_repeated_here_if_the_disk_of_a_worker_is_full(
    result: ProcessResult | OSError, tmp_path: Path
) -> None:
    told: list[str] = []
    runner = ClusterRunner(cast(Cluster, FullWorker(result)), told.append)
    found = runner(["/bin/echo", "done"], cwd=tmp_path, limits=Limits(seconds=60))
    assert found.stdout == "done\n"
    assert len(told) == 1 and "no space left" in told[0]


@pytest.mark.iree
def test_a_run_that_is_cancelled_ends_where_it_runs(
    processes: LocalCluster, tmp_path: Path
) -> None:
    note, folder, cancel = tmp_path / "pid", tmp_path / "empty", threading.Event()
    folder.mkdir()
    words = ["/bin/sh", "-c", f"echo $$ > {note}; exec sleep 100"]
    cluster = Cluster(processes.address)
    try:
        runner = ClusterRunner(cluster, pytest.fail)
        run = threading.Thread(
            target=lambda: runner(words, cwd=folder, limits=Limits(), cancel=cancel)
        )
        run.start()
        assert wait_until(lambda: note.exists() and note.read_text().endswith("\n"))
        cancel.set()
        run.join(timeout=30)
        assert wait_until(lambda: not Path("/proc", note.read_text().strip()).exists())
    finally:
        cluster.close()


@pytest.mark.iree
def test_a_version_that_no_worker_offers(processes: LocalCluster) -> None:
    cluster = Cluster(processes.address)
    try:
        assert cluster.capacity({f"iree-{NEWEST_TESTED}": 1.0}) >= 2
        with pytest.raises(Unavailable, match=r"none of the \d workers .* offers iree-0\.1\.0"):
            cluster.capacity({"iree-0.1.0": 1.0})
    finally:
        cluster.close()


@pytest.mark.iree
def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reducer.cluster.cluster._CONNECT_TIMEOUT", 0.5)
    with pytest.raises(Unavailable, match="no Dask scheduler answers"):
        Cluster("tcp://127.0.0.1:9")


def triage(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """Start a triage of two inputs on two versions."""
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    for name in ("cat-zero-width", "treshape-index-abi"):
        load_case(name).write_input(inputs / f"{name}.mlir")
    words = [
        "triage", "inputs", "--iree", f"3.8.0,{NEWEST_TESTED}",
        "--json", "out.json", "--no-report", "--max-calls", "12", *options,
        "--", "--iree-hal-target-backends=llvm-cpu",
    ]  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "reducer", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=ENVIRONMENT,
    )


def children(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """What a process has started, and what that has."""
    return psutil.Process(process.pid).children(recursive=True)


def bugs(process: "subprocess.Popen[str]", folder: Path) -> list[object]:
    said, _ = process.communicate(timeout=250)
    assert process.returncode == 0, said
    report = json.loads((folder / "out.json").read_text())
    return [
        (bug["signature"], bug["state"], bug["failures"], bug["reproducer"]["text"])
        for bug in report["bugs"]
    ]


@pytest.mark.iree
@pytest.mark.slow
def test_triage_on_unlike_workers_also_when_one_is_killed(tmp_path: Path) -> None:
    alone = bugs(triage(tmp_path / "alone", "-j", "1"), tmp_path / "alone")
    with local_cluster(tmp_path / "cluster") as processes:
        processes.add_worker(["3.8.0"])
        processes.add_worker([NEWEST_TESTED])
        doomed = processes.add_worker(["3.8.0", NEWEST_TESTED])
        running = triage(tmp_path / "many", "--scheduler", processes.address)
        while not any("iree-" in one.name() for one in children(doomed)):
            assert running.poll() is None
            time.sleep(0.01)
        doomed.kill()
        assert bugs(running, tmp_path / "many") == alone
    assert alone
