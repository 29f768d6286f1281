"""Tasks of a triage go to workers that offer their compiler, and what is lost is run here."""

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from oracles import Kind
from reducer.cluster.cluster import Cluster, ClusterRunner, RunCancelled, RunLost
from reducer.cluster.executor import ClusterExecutor
from reducer.triage.running import Task, TaskResult, outcome_of_task
from tests.support.fake_compilers import FAIL, write_script


class Told:
    """A cluster that runs what it is given, unless it fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.wanted: list[Mapping[str, float]] = []
        self.runs = 0

    def capacity(self, wanted: Mapping[str, float]) -> int:
        self.wanted.append(wanted)
        return 2

    def run(
        self,
        function: Callable[[str], TaskResult],
        wanted: Mapping[str, float],
        cancel: threading.Event | None = None,
    ) -> TaskResult:
        self.wanted.append(wanted)
        if self.error is not None:
            raise self.error
        self.runs += 1
        return function("a run")


@pytest.mark.parametrize(
    ("error", "runs", "problem"),
    [(None, 1, ""), (RunLost("gone"), 0, ""), (RunCancelled(), 0, "interrupted")],
)
def test_a_task_is_run_there_or_here(
    error: Exception | None, runs: int, problem: str, tmp_path: Path
) -> None:
    tool = write_script(tmp_path / "cc", FAIL)
    told = Told(error)
    executor = ClusterExecutor(cast(Cluster, told), [None, "3.8.0"], pytest.fail)
    assert executor.capacity == 4 and isinstance(executor.runner, ClusterRunner)
    task = Task(b'"x.bad"() : () -> ()\n', os.fspath(tool), None, (), "/", 60.0)
    result = executor.submit(task).result(60)
    executor.close()
    assert told.wanted == [{}, {"iree-3.8.0": 1.0}, {}]
    assert (told.runs, result.problem) == (runs, problem)
    outcome = outcome_of_task(result)
    assert (outcome and outcome.kind) == (None if problem else Kind.LEGALIZATION)


def test_what_is_closed_waits_for_no_run() -> None:
    class Waiting(Told):
        def run(self, *asked: object) -> TaskResult:
            started.set()
            cancel = cast(threading.Event, asked[-1])
            assert cancel.wait(60)
            raise RunCancelled

    started = threading.Event()
    executor = ClusterExecutor(cast(Cluster, Waiting()), ["3.8.0"], pytest.fail)
    running = executor.submit(Task(b"", "cc", "3.8.0", (), "/", 60.0))
    assert started.wait(60)
    executor.close()
    assert running.result(0).problem == "interrupted"
