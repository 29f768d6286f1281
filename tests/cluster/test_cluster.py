"""A reduction runs on the workers of a Dask cluster, with the result of one machine.

A worker offers compiler versions; what a worker or the whole cluster loses is run elsewhere. The
scheduler and all workers but the one that is killed are threads of this process.
"""

import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import psutil
import pytest
from click.testing import CliRunner

from oracles import (
    Command,
    CompilerOracle,
    End,
    Kind,
    Limits,
    Oracle,
    ProcessResult,
)
from reducer.cli import main
from reducer.cli.commands.reduce import clustered
from reducer.cluster.cluster import Cluster, ClusterRunner, required_resources, resources_of, slots
from reducer.errors import Unavailable, UsageError
from reducer.toolchain import find, toolchains_folder
from tests.conftest import NEWEST_TESTED
from tests.support.clusters import LocalCluster, local_cluster
from tests.support.corpus import load_case
from tests.support.fake_compilers import FAIL, program, wait_until, write_script
from tests.support.fake_releases import BAD, Release, Releases

OLD = {"nthreads": 4, "resources": {"iree-3.8.0": 4.0}}
NEW = {"nthreads": 2, "resources": {"iree-3.13.0": 2.0, "iree-3.8.0": 2.0}}
PLAIN = {"nthreads": 8, "resources": {}}
OFFERED = "3.2.0"


def test_a_cached_program_needs_its_version_and_any_other_nothing() -> None:
    cached = toolchains_folder() / "iree-base-compiler-3.8.0" / "iree" / "iree-compile"
    assert required_resources(cached) == {"iree-3.8.0": 1.0}
    assert required_resources(Path("/usr/bin/iree-compile")) == {}


def test_only_workers_that_offer_the_version_count_as_often_as_they_have_slots() -> None:
    workers = [OLD, NEW, PLAIN]
    assert slots(workers, {"iree-3.8.0": 1.0}) == 6
    assert slots(workers, {"iree-3.13.0": 1.0}) == 2
    assert slots(workers, {"iree-3.3.0": 1.0}) == 0
    assert slots(workers, {}) == 14
    assert resources_of(["3.8.0", "3.13.0"], 2) == {"iree-3.8.0": 2.0, "iree-3.13.0": 2.0}


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """A scheduler with a worker that runs two programs at once."""
    with local_cluster(tmp_path_factory.mktemp("cluster")) as made:
        made.add_thread([OFFERED], slots=2)
        yield made


@pytest.fixture
def cluster(dask: LocalCluster) -> Iterator[Cluster]:
    connected = Cluster(dask.address)
    yield connected
    connected.close()


def test_the_result_is_that_of_one_machine_also_when_a_worker_is_killed(
    dask: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLIR_REDUCER_JOBS")  # so that all workers of the cluster are used
    (tmp_path / "in.mlir").write_text(program())
    hangs = f"[ -z $IS_DOOMED ] || {{ touch {tmp_path}/hangs; exec sleep 100; }}\n"
    write_script(tmp_path / "fake", hangs + FAIL)
    doomed = dask.add_worker([], IS_DOOMED="1")

    def kill() -> None:
        wait_until((tmp_path / "hangs").exists, 60)
        doomed.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    words = ["-j", dask.address, "--no-report", "--no-pass-level"]
    done = CliRunner().invoke(main, ["reduce", "in.mlir", *words, "--", "./fake"])
    assert done.exit_code == 0, done.output
    killer.join()
    assert (tmp_path / "hangs").exists()
    assert '\n"x.bad"() : () -> ()\n' in Path("in.reduced.mlir").read_text()


@pytest.mark.parametrize(("most", "at_once"), [("1,", 1), ("9,", 2), ("", 2)])
def test_all_slots_are_used_unless_fewer_are_wanted(
    dask: LocalCluster, most: str, at_once: int
) -> None:
    oracle = CompilerOracle(Command.parse(["fake"]), Path("/bin/true"))
    with clustered(oracle, f"{most}{dask.address}") as (there, found):
        assert isinstance(there, CompilerOracle) and isinstance(there.runner, ClusterRunner)
        assert found == at_once
    with pytest.raises(UsageError), clustered(cast(Oracle, None), dask.address):
        pass


def test_outcomes_are_the_same_in_the_cache_of_a_worker(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    releases = Releases(tmp_path, {OFFERED: Release(BAD)})
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(releases.cache))
    tool = find(OFFERED)
    assert tool is not None
    oracle = CompilerOracle(Command.parse(["iree-compile"]), tool.compile)
    here = oracle.run('"x.bad"() : () -> ()\n')
    oracle = replace(oracle, runner=ClusterRunner(cluster, pytest.fail))
    there = oracle.run('"x.bad"() : () -> ()\n')
    assert there.kind is Kind.LEGALIZATION
    assert (there.signature, there.diagnostics) == (here.signature, here.diagnostics)
    assert len(releases.runs) == 2


def test_a_run_that_is_cancelled_ends_where_it_runs(cluster: Cluster, tmp_path: Path) -> None:
    note, folder, cancel = tmp_path / "pid", tmp_path / "empty", threading.Event()
    folder.mkdir()
    words = ["/bin/sh", "-c", f"echo $$ > {note}; exec sleep 100"]
    ends: list[End] = []
    runner = ClusterRunner(cluster, pytest.fail)
    run = threading.Thread(
        target=lambda: ends.append(runner(words, cwd=folder, limits=Limits(), cancel=cancel).end)
    )
    run.start()
    assert wait_until(lambda: note.exists() and note.read_text().endswith("\n"))
    cancel.set()
    run.join(timeout=30)
    assert ends == [End.CANCELLED]
    assert wait_until(lambda: not Path("/proc", note.read_text().strip()).exists())


def test_a_version_that_no_worker_offers(cluster: Cluster) -> None:
    assert cluster.capacity({f"iree-{OFFERED}": 1.0}) == 2
    with pytest.raises(Unavailable, match=r"none of the \d workers .* offers iree-0\.1\.0"):
        cluster.capacity({"iree-0.1.0": 1.0})


def test_a_worker_that_was_started_just_now_is_waited_for(tmp_path: Path) -> None:
    with local_cluster(tmp_path) as started:
        cluster = Cluster(started.address)
        late = threading.Timer(0.5, started.add_thread, [[OFFERED]])
        late.start()
        try:
            assert cluster.capacity({f"iree-{OFFERED}": 1.0}) == 1
        finally:
            late.join()
            cluster.close()


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reducer.cluster.cluster._CONNECT_TIMEOUT", 0.5)
    with pytest.raises(Unavailable, match="no Dask scheduler answers"):
        Cluster("tcp://127.0.0.1:9")


def test_runs_go_on_here_if_the_scheduler_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reducer.cluster.cluster._CONNECT_TIMEOUT", 0.5)
    told: list[str] = []
    with local_cluster(tmp_path) as made:
        made.add_thread([])
        cluster = Cluster(made.address)
        runner = ClusterRunner(cluster, told.append)
        (tmp_path / "empty").mkdir()

        def echo() -> str:
            command = ["/bin/echo", "done"]
            return runner(command, cwd=tmp_path / "empty", limits=Limits(seconds=60)).stdout

        assert (echo(), told) == ("done\n", [])
    assert echo() == "done\n"
    cluster.close()  # as Dask does once it has tried for long enough
    assert echo() == "done\n"
    expected = "the cluster lost a run (no connection to the scheduler); running it on this"
    assert [text.startswith(expected) for text in told] == [True]


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
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
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
        running = triage(tmp_path / "many", "-j", processes.address)
        while not any("iree-" in one.name() for one in children(doomed)):
            assert running.poll() is None
            time.sleep(0.01)
        doomed.kill()
        assert bugs(running, tmp_path / "many") == alone
    assert alone
