"""Whole reductions of real failures by the real program on a real compiler.

The compiler is called through a script that notes every call, so that none can be hidden.
"""

import json
import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from reducer.toolchain import toolchains_folder
from tests.conftest import NEWEST_TESTED
from tests.support.corpus import load_case
from tests.support.fake_compilers import Reducer, wait_until

pytestmark = pytest.mark.iree

SMALL, LARGE = "cat-zero-width", "hf_ds_real61"


class Bench:
    """One folder with an input and a compiler that notes its calls."""

    def __init__(self, home: Path, compiler: Path, case: str) -> None:
        home.mkdir(parents=True)
        run = next(run for run in load_case(case).runs if run.wheel == NEWEST_TESTED)
        load_case(case).write_input(home / "in.mlir")
        self.reducer = Reducer(home, cache=_cache_of_one(home / "cache"))
        self.output = home / "in.reduced.mlir"
        self._log = home / "calls"
        self._flags = run.flags
        self._compiler = home / "noting"
        self._compiler.write_text(
            "#!/bin/sh\n"
            f'echo "$(sha256sum < input.mlir) $*" >> {shlex.quote(str(self._log))}\n'
            f'exec {shlex.quote(str(compiler))} "$@"\n'
        )
        self._compiler.chmod(0o755)

    def words(self, *options: object) -> list[object]:
        """A command line of the program."""
        return [
            "reduce", "in.mlir", "--json", "-", "--iree", NEWEST_TESTED, *options,
            "--", self._compiler, *self._flags,
        ]  # fmt: skip

    def reduce(self, *options: object) -> "Result":
        """Runs a reduction to its end."""
        done = self.reducer(*self.words(*options), timeout=280)
        assert done.returncode == 0, done.stderr
        return Result(self.output.read_bytes(), json.loads(done.stdout), self.calls())

    def bucket(self) -> str:
        """The bucket of what is on disk."""
        words = ["check", self.output, "--json", "-", "--", self._compiler, *self._flags]
        return str(json.loads(self.reducer(*words).stdout)["bucket"])

    def calls(self) -> Counter[str]:
        """Every call so far: what was compiled, and with which arguments."""
        return Counter(self._log.read_text().splitlines() if self._log.exists() else ())


def _cache_of_one(cache: Path) -> Path:
    """A cache with one release, so that no other is asked for the health of the input."""
    whole = toolchains_folder()
    (cache / whole.name).mkdir(parents=True)
    name = f"iree-base-compiler-{NEWEST_TESTED}"
    (cache / whole.name / name).symlink_to(whole / name)
    (whole.parent / "symbols").mkdir(exist_ok=True)
    (cache / "symbols").symlink_to(whole.parent / "symbols")
    return cache


@dataclass(frozen=True)
class Result:
    """What a reduction left: its bytes, its report, and the compiler's calls."""

    output: bytes
    report: dict[str, object]
    calls: Counter[str]


BenchMaker = Callable[[str], Bench]


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, iree_compile: Path
) -> Callable[[str], Result]:
    """The result of one worker that nobody disturbs, by case."""
    known: dict[str, Result] = {}

    def result(case: str) -> Result:
        if case not in known:
            home = tmp_path_factory.mktemp("undisturbed") / case
            known[case] = Bench(home, iree_compile, case).reduce("-j1")
        return known[case]

    return result


@pytest.fixture
def bench(tmp_path: Path, iree_compile: Path) -> BenchMaker:
    return lambda case: Bench(tmp_path / case, iree_compile, case)


@pytest.mark.parametrize("case", [SMALL, LARGE])
def test_the_result_fails_in_the_same_way_and_the_figures_are_true(
    undisturbed: Callable[[str], Result], case: str
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
        assert len(kept) <= 2 * len(expert.read_text().splitlines())


def test_a_killed_reduction_resumes_to_the_same_bytes_and_pays_for_nothing_twice(
    bench: BenchMaker, undisturbed: Callable[[str], Result]
) -> None:
    kill_and_resume(bench(SMALL), undisturbed(SMALL), 8)


def test_a_killed_reduction_of_a_large_model_resumes_as_well(
    bench: BenchMaker, undisturbed: Callable[[str], Result]
) -> None:
    kill_and_resume(bench(LARGE), undisturbed(LARGE), 6)


def kill_and_resume(bench: Bench, whole: Result, calls_before: int) -> None:
    with bench.reducer.start(*bench.words("-j1")) as process:
        assert wait_until(lambda: bench.calls().total() >= calls_before, seconds=120)
        process.kill()
        process.communicate()
    killed_after = bench.calls()
    assert killed_after.total() < whole.calls.total(), "it was killed too late to prove anything"
    bench.reducer.assert_clean()

    resumed = bench.reduce("-j1", "--resume")
    assert resumed.output == whole.output
    in_flight = 1  # the call that the kill cut short has no verdict
    assert (resumed.calls - whole.calls).total() <= in_flight
    assert not whole.calls - resumed.calls
    bench.reducer.assert_clean()


def test_what_is_on_disk_is_interesting_at_any_moment(
    bench: BenchMaker, undisturbed: Callable[[str], Result]
) -> None:
    bench = bench(SMALL)
    for calls, accepted in ((3, False), (14, True)):
        done = bench.reducer(*bench.words("-j1", "--max-calls", calls))
        assert done.returncode == 3, done.stderr
        assert bench.output.exists() is accepted
        assert not accepted or bench.bucket() == undisturbed(SMALL).report["bucket"]


def test_two_workers_give_the_same_bytes(
    bench: BenchMaker, undisturbed: Callable[[str], Result]
) -> None:
    bench = bench(SMALL)
    assert bench.reduce("-j2").output == undisturbed(SMALL).output
    bench.reducer.assert_clean()


def test_the_result_does_not_reduce_any_further(
    bench: BenchMaker, undisturbed: Callable[[str], Result]
) -> None:
    bench = bench(SMALL)
    (bench.reducer.home / "in.mlir").write_bytes(undisturbed(SMALL).output)
    assert bench.reduce("-j1").output == undisturbed(SMALL).output
