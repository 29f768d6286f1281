"""The corpus is what its manifests say: files open, and compilers fail as described.

Every kind of failure has a case, and so has every failure that the documentation names.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version

from oracles import Kind
from tests.conftest import NEWEST_TESTED, WHEELS
from tests.support.corpus import CORPUS, Case, Run, case_names, cases, load_case
from tests.support.described import LONGEST, fails_as_described
from tests.support.opt_corpus import FOLDER as OPT

CHEAP, QUICK = 3.0, 3.5
"""Seconds of compiler time up to which a run is checked every time, and by the slow tests."""


HANGING = 4.0
"""Seconds after which a run that hangs has shown that."""


def test_every_folder_is_a_case() -> None:
    folders = {path.name for path in CORPUS.iterdir()} - {OPT.name, "population"}
    assert case_names() == sorted(folders)


@pytest.mark.parametrize("name", case_names())
def test_the_manifest_is_complete_and_the_input_opens(name: str, tmp_path: Path) -> None:
    case = load_case(name)
    assert case.title and case.origin
    assert case.runs or case.healthy
    for run in case.runs:
        assert Kind(run.kind) and run.flags and run.seconds > 0
        assert run.message or run.is_wordless
        assert case.execution is not None or run.kind != Kind.MISCOMPILE
        expert = case.expert(run)
        assert expert is None or expert.is_file()
    failing = {run.wheel for run in case.runs} | set(case.failing)
    groups = failing, set(case.healthy), set(case.otherwise)
    for version in set.union(*groups):
        assert str(Version(version)) == version
        assert sum(version in group for group in groups) == 1, "it fails or compiles"
    written = case.write_input(tmp_path / "new folder" / "input.mlir")
    assert "func" in written.read_text()


def _failures() -> Iterator[object]:
    """The quick runs of cases, on the expert's input, or on their own if there is no expert's.

    `python -m benchmarks.failures` makes all of them.
    """
    for case in cases():
        for run in case.runs:
            name = "expert" if case.has("expert", run) else "input"
            seconds = run.seconds if name == "input" else 1.0
            if case.has(name, run) and run.wheel in WHEELS and seconds < QUICK:
                yield _failure(case, run, name, seconds)


def _failure(case: Case, run: Run, name: str, seconds: float) -> object:
    marks = [pytest.mark.iree]
    if run.wheel != NEWEST_TESTED or seconds >= CHEAP or run.timeout is not None:
        marks += [pytest.mark.slow, pytest.mark.timeout(LONGEST + 60)]
    return pytest.param(case, run, name, id=f"{case.name}-{run.wheel}-{name}", marks=marks)


@pytest.mark.parametrize(("case", "run", "name"), list(_failures()))
def test_compiler_fails_as_described(case: Case, run: Run, name: str, tmp_path: Path) -> None:
    assert fails_as_described(case, run, name, tmp_path, hanging=HANGING)
