"""A cluster of processes: the same results as without it, also when one of them is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, End, Kind, Limits
from reducer.cluster.cluster import Cluster
from reducer.cluster.runner import ClusterRunner
from reducer.session.errors import Unavailable
from reducer.toolchain import Toolchain
from tests.conftest import NEWEST_TESTED
from tests.support.clusters import LocalCluster, local_cluster
from tests.support.corpus import load_case

pytestmark = pytest.mark.iree

CASE = "cat-zero-width"


@pytest.fixture
def processes(tmp_path: Path, iree_compile: Path) -> Iterator[LocalCluster]:
    """A scheduler with two workers."""
    with local_cluster(tmp_path / "cluster") as cluster:
        for _ in range(2):
            cluster.add_worker([NEWEST_TESTED])
        yield cluster


def reduce(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """Starts a reduction in a folder of its own."""
    folder.mkdir()
    case = load_case(CASE)
    case.write_input(folder / "in.mlir")
    words = ["reduce", "in.mlir", "--iree", NEWEST_TESTED, "--no-pass-level", *options]
    return subprocess.Popen(
        [sys.executable, "-m", "reducer", *words, "--", "iree-compile", *case.runs[0].flags],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def finished(process: "subprocess.Popen[str]", folder: Path) -> bytes:
    said, _ = process.communicate(timeout=250)
    assert process.returncode == 0, said
    return (folder / "in.reduced.mlir").read_bytes()


def test_the_result_is_that_of_one_machine_also_when_a_worker_is_killed(
    processes: LocalCluster, tmp_path: Path
) -> None:
    alone = finished(reduce(tmp_path / "alone", "-j", "1"), tmp_path / "alone")
    running = reduce(tmp_path / "many", "--scheduler", processes.address)
    while not (tmp_path / "many" / "in.reduced.mlir").exists():  # well under way
        assert running.poll() is None
        time.sleep(0.01)
    processes.workers[0].send_signal(signal.SIGKILL)
    assert finished(running, tmp_path / "many") == alone


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
                    cwd=processes.folder / "none",
                    limits=Limits(),
                    cancel=cancel,
                )
            )
        )
        (processes.folder / "none").mkdir()
        waiting.start()
        time.sleep(0.5)
        cancel.set()
        waiting.join(timeout=30)
        assert [result.end for result in ends] == [End.CANCELLED]
        assert oracle.run("not MLIR").kind is Kind.INVALID_INPUT  # nobody is kept busy
    finally:
        cluster.close()


def test_a_version_that_nobody_offers(processes: LocalCluster) -> None:
    cluster = Cluster(processes.address)
    assert cluster.capacity({f"iree-{NEWEST_TESTED}": 1.0}) == 2
    with pytest.raises(Unavailable, match=r"none of the 2 workers .* offers iree-0\.1\.0"):
        cluster.capacity({"iree-0.1.0": 1.0})
    cluster.close()


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reducer.cluster.cluster._PATIENCE", 0.5)
    with pytest.raises(Unavailable, match="no Dask scheduler answers"):
        Cluster("tcp://127.0.0.1:9")


def triage(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """Starts a triage of three inputs on two versions."""
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    for name in ("cat-zero-width", "torch-fft-constant-int", "treshape-index-abi"):
        load_case(name).write_input(inputs / f"{name}.mlir")
    words = [
        "triage", "inputs", "--iree", f"3.8.0,{NEWEST_TESTED}",
        "--json", "out.json", *options, "--", "--iree-hal-target-backends=llvm-cpu",
    ]  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "reducer", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def bugs(process: "subprocess.Popen[str]", folder: Path) -> list[object]:
    said, _ = process.communicate(timeout=250)
    assert process.returncode == 0, said
    report = json.loads((folder / "out.json").read_text())
    return [
        (bug["signature"], bug["state"], bug["failures"], bug["reproducer"]["text"])
        for bug in report["bugs"]
    ]


@pytest.mark.slow
def test_triage_on_unlike_workers_also_when_one_is_killed(tmp_path: Path) -> None:
    alone = bugs(triage(tmp_path / "alone"), tmp_path / "alone")
    with local_cluster(tmp_path / "cluster") as processes:
        processes.add_worker(["3.8.0"])
        processes.add_worker([NEWEST_TESTED])
        doomed = processes.add_worker(["3.8.0", NEWEST_TESTED])
        running = triage(tmp_path / "many", "--scheduler", processes.address)
        time.sleep(3)
        doomed.kill()
        assert bugs(running, tmp_path / "many") == alone
    assert alone
