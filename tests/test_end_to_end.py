"""Whole reductions of real failures by the real program on a real compiler.

Each call of the compiler is noted, so that none can be hidden. A reduction that is killed goes on
where it was, pays for nothing twice, and ends with the same bytes.
"""

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import NEWEST_TESTED
from tests.support import replay
from tests.support.corpus import load_case
from tests.support.fake_compilers import Reducer

pytestmark = pytest.mark.iree

SMALL, LARGE = "cat-zero-width", "hf_ds_real61"
KILLED = """
import os, signal, sys
from oracles.run import run_process as process
from reducer.cli import main
from tests.support import replay, starts

starts.watch()
replay.install()
watch, calls = process.watch, int(sys.argv.pop(1))

def counted(child, **how):
    global calls
    calls -= child.words[0].endswith("iree-compile")
    if calls < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return watch(child, **how)

process.watch = counted
main(prog_name="mlir-reducer")
"""
"""The program, which is killed when it calls the compiler for the n-th time."""


class Bench:
    """One folder with an input, in which all calls of the compiler are noted."""

    def __init__(self, home: Path, case: str) -> None:
        home.mkdir(parents=True)
        run = next(run for run in load_case(case).runs if run.wheel == NEWEST_TESTED)
        load_case(case).write_input(home / "in.mlir")
        self.reducer = Reducer(home)
        del self.reducer.environment["MLIR_REDUCER_CACHE"]
        self.output = home / "in.reduced.mlir"
        self._asked = home.with_suffix(".asked")  # outside: what a run writes there is replayed
        self.reducer.environment[replay.ASKED] = str(self._asked)
        self._command = ["--", "iree-compile", *run.flags]

    def words(self, *options: object) -> list[str]:
        """A command line of the program."""
        how = ["--json", "-", "--iree", NEWEST_TESTED, "--no-elsewhere", *map(str, options)]
        return ["reduce", "in.mlir", *how, *self._command]

    def reduce(self, *options: object) -> "Result":
        """Runs a reduction to its end."""
        done = self.reducer(*self.words(*options), timeout=280)
        assert done.returncode == 0, done.stderr
        return Result(self.output.read_bytes(), json.loads(done.stdout), self.calls())

    def kill(self, calls: int) -> None:
        """Kills a reduction that wants to call the compiler once more."""
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(calls), *self.words("-j1")],
            cwd=self.reducer.home,
            env=self.reducer.environment,
            timeout=280,
        )
        assert done.returncode == -signal.SIGKILL
        self.reducer.assert_clean()

    def bucket(self) -> str:
        """The bucket of what is on disk."""
        words = ["check", self.output, "--json", "-", "--iree", NEWEST_TESTED, *self._command]
        return str(json.loads(self.reducer(*words).stdout)["bucket"])

    def calls(self) -> Counter[str]:
        """The questions to the compiler so far: what was compiled, and with which arguments."""
        lines = self._asked.read_text(encoding="utf-8").splitlines()
        asked = [json.loads(line) for line in lines]
        return Counter(one["key"] for one in asked if one["words"][0].endswith("iree-compile"))


@dataclass(frozen=True)
class Result:
    """What a reduction left: its bytes, its report, and the compiler's calls."""

    output: bytes
    report: dict[str, object]
    calls: Counter[str]


Undisturbed = Callable[[str], Result]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, iree_compile: Path) -> Undisturbed:
    """The result of one worker that nobody disturbs, by case."""
    known: dict[str, Result] = {}

    def result(case: str) -> Result:
        if case not in known:
            home = tmp_path_factory.mktemp("undisturbed") / case
            known[case] = Bench(home, case).reduce("-j1")
        return known[case]

    return result


@pytest.fixture
def small(tmp_path: Path) -> Bench:
    return Bench(tmp_path / SMALL, SMALL)


@pytest.mark.parametrize("case", [SMALL, LARGE])
def test_the_result_fails_in_the_same_way_and_the_figures_are_true(
    undisturbed: Undisturbed, case: str
) -> None:
    result = undisturbed(case)
    report = result.report
    run = next(run for run in load_case(case).runs if run.wheel == NEWEST_TESTED)
    expert = load_case(case).expert(run)
    assert report["verified"] is True and report["one_minimal"] is True
    assert report["kind"] == run.kind
    kept = [line for line in result.output.splitlines(keepends=True) if not line.startswith(b"//")]
    assert report["output"]["bytes"] == len(b"".join(kept))  # type: ignore[index]
    if expert is not None:
        assert len(kept) <= 2 * len(expert.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(
    ("case", "calls"), [(SMALL, 8), pytest.param(LARGE, 6, marks=pytest.mark.slow)]
)
def test_a_killed_reduction_resumes_to_the_same_bytes_and_pays_for_nothing_twice(
    undisturbed: Undisturbed, tmp_path: Path, case: str, calls: int
) -> None:
    bench, whole = Bench(tmp_path / case, case), undisturbed(case)
    bench.kill(calls)
    assert bench.calls().total() == calls < whole.calls.total(), "it was killed in the middle"
    resumed = bench.reduce("-j1")
    assert resumed.output == whole.output
    in_flight = 1  # the call that the kill cut short has no verdict
    assert (resumed.calls - whole.calls).total() <= in_flight
    assert not whole.calls - resumed.calls
    bench.reducer.assert_clean()


def test_what_is_on_disk_is_interesting_at_any_moment(
    small: Bench, undisturbed: Undisturbed
) -> None:
    for calls, accepted in ((3, False), (14, True)):
        done = small.reducer(*small.words("-j1", "--max-calls", calls))
        assert done.returncode == 3, done.stderr
        assert small.output.exists() is accepted
        assert not accepted or small.bucket() == undisturbed(SMALL).report["bucket"]


def test_two_workers_give_the_same_bytes(small: Bench, undisturbed: Undisturbed) -> None:
    assert small.reduce("-j2").output == undisturbed(SMALL).output
    small.reducer.assert_clean()


def test_the_result_does_not_reduce_any_further(small: Bench, undisturbed: Undisturbed) -> None:
    (small.reducer.home / "in.mlir").write_bytes(undisturbed(SMALL).output)
    assert small.reduce("-j1").output == undisturbed(SMALL).output
