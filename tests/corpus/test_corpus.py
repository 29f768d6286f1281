"""The corpus is what its manifests say: files open, and compilers fail as described."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version

from oracles import Kind
from reducer.toolchain import install
from tests.conftest import NEWEST_TESTED
from tests.support.corpus import CORPUS, Case, Execution, Run, case_names, cases, load_case

CHEAP = 5.0
"""Seconds of compiler time up to which a run is checked every time."""

LONGEST = 900
"""Seconds after which a compiler run is given up: many times what it takes on a quiet machine."""


def test_every_folder_is_a_case() -> None:
    assert case_names() == sorted(path.name for path in CORPUS.iterdir())


@pytest.mark.parametrize("name", case_names())
def test_manifest_is_complete(name: str) -> None:
    case = load_case(name)
    assert case.title and case.origin
    assert case.runs or case.healthy
    for run in case.runs:
        assert Kind(run.kind) and run.flags and run.seconds > 0
        assert run.message or run.is_wordless
        assert case.execution is not None or run.kind != Kind.MISCOMPILE
        expert = case.expert(run)
        assert expert is None or expert.is_file()


@pytest.mark.parametrize("name", case_names())
def test_a_version_either_fails_or_compiles(name: str) -> None:
    case = load_case(name)
    failing = {run.wheel for run in case.runs} | set(case.failing)
    groups = failing, set(case.healthy), set(case.otherwise)
    for version in set.union(*groups):
        assert str(Version(version)) == version
        assert sum(version in group for group in groups) == 1


@pytest.mark.parametrize("name", case_names())
def test_input_opens(name: str, tmp_path: Path) -> None:
    case = load_case(name)
    written = case.write_input(tmp_path / "new folder" / "input.mlir")
    assert "func" in written.read_text()


def _failures() -> Iterator[object]:
    """Every run of every case on its own input, and on the expert's where that is another."""
    for case in cases():
        for run in case.runs:
            if case.packed_input:
                yield _failure(case, run, seconds=run.seconds)
            if run.expert:
                yield _failure(case, run, seconds=1, name="expert")


def _failure(case: Case, run: Run, seconds: float, name: str = "input") -> object:
    cheap = run.wheel == NEWEST_TESTED and seconds < CHEAP and run.timeout is None
    marks = [pytest.mark.iree]
    if not cheap:
        marks += [pytest.mark.slow, pytest.mark.timeout(LONGEST + 60)]
    return pytest.param(case, run, name, id=f"{case.name}-{run.wheel}-{name}", marks=marks)


@pytest.mark.parametrize(("case", "run", "name"), list(_failures()))
def test_compiler_fails_as_described(
    case: Case,
    run: Run,
    name: str,
    tmp_path: Path,
) -> None:
    text = case.input_text() if name == "input" else case.expert(run).read_text()
    if case.execution is None:
        outcome = run.oracle(run.limits(LONGEST)).run(text)
        assert outcome.kind == run.kind
        assert run.message in outcome.stderr
        assert run.message or not outcome.stderr.strip()
    else:
        results = _results(text, run, case.execution, tmp_path)
        assert run.message in results
        assert results != list(case.execution.expected)


def _results(text: str, run: Run, execution: Execution, folder: Path) -> list[str]:
    """What the program prints for each of its results."""
    toolchain = install(run.wheel, runtime=True)
    (folder / "input.mlir").write_text(text)
    program = folder / "program.vmfb"
    _run(toolchain.compile, folder / "input.mlir", *run.flags, "-o", program)
    printed = _run(toolchain.run_module, f"--module={program}", *execution.arguments)
    return [line for line in printed.splitlines() if "=" in line]


def _run(*command: object) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
