"""The report about wrong results: `repro.sh` compiles, runs and compares the module elsewhere."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli import main
from reducer.toolchain import Toolchain
from tests.conftest import NEWEST_TESTED
from tests.support.corpus import load_case
from tests.support.fake_compilers import write_script

pytestmark = pytest.mark.iree


@pytest.fixture(scope="module")
def report(
    tmp_path_factory: pytest.TempPathFactory, iree_toolchain: Callable[..., Toolchain]
) -> Path:
    """The unpacked archive of a report on a compiler given by path."""
    folder = tmp_path_factory.mktemp("report")
    case = load_case("mis-powf-negative-base")
    model = case.write_input(folder / "model.mlir")
    flags = case.runs[0].flags
    words = ["--wrong-results", "--", str(iree_toolchain().compile), *flags]
    done = CliRunner().invoke(main, ["report", str(model), *words])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(folder / "model.report.zip") as packed:
        packed.extractall(folder / "unpacked")
    (place,) = (folder / "unpacked").iterdir()
    return place


@pytest.fixture
def ask(report: Path, tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Runs `repro.sh` in an empty folder, with only `mlir-reducer` on PATH."""
    tools = tmp_path / "bin"
    tools.mkdir()
    write_script(tools / "mlir-reducer", f'exec "{sys.executable}" -m reducer "$@"\n')
    empty = tmp_path / "empty"
    empty.mkdir()
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept["PYTHONPATH"] = str(Path(__file__).parents[2])

    def run(**more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", report / "repro.sh"],
            env={**kept, "PATH": f"{tools}:{os.defpath}", **more},
            cwd=empty,
            capture_output=True,
            text=True,
            timeout=600,
        )

    return run


_KEPT = ("HOME", "MLIR_REDUCER_CACHE", "XDG_CACHE_HOME")


def test_the_compiler_stays_at_home(report: Path) -> None:
    assert not (report / "files").exists()
    first = (report / "repro.mlir").read_text().splitlines()[0]
    assert first.startswith(f"// mlir-reducer check repro.mlir --iree {NEWEST_TESTED} ")
    assert first.endswith(" -- iree-compile --iree-hal-target-backends=llvm-cpu")
    assert (
        "\niree-compile --iree-hal-target-backends=llvm-cpu repro.mlir"
        in (report / "report.md").read_text()
    )


def test_the_very_inputs_are_asked_again(report: Path) -> None:
    """Another release may be wrong for inputs that were not tried here."""
    first = (report / "repro.mlir").read_text().splitlines()[0]
    assert " --function f " in first and first.count("--input=4xf32=") == 2


def test_wrong_results_are_seen_elsewhere(
    ask: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    done = ask()
    assert (done.returncode, done.stdout) == (0, "still fails as reported\n"), done.stderr


def test_another_failure_is_not_these_results(
    ask: Callable[..., "subprocess.CompletedProcess[str]"], tmp_path: Path
) -> None:
    """A compiler that rejects the module has neither kept nor fixed the defect."""
    broken = write_script(tmp_path / "iree-compile", 'echo "error: not today" >&2; exit 1\n')
    runtime = write_script(tmp_path / "iree-run-module", "exit 1\n")
    done = ask(IREE_COMPILE=str(broken), PATH=f"{runtime.parent}/bin:{tmp_path}:{os.defpath}")
    assert done.returncode == 2, done.stdout
    assert "other-error: not today" in done.stdout


@pytest.mark.slow
def test_a_healthy_version_is_told(
    ask: Callable[..., "subprocess.CompletedProcess[str]"],
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    healthy = iree_toolchain("3.2.0").compile
    done = ask(IREE_COMPILE=str(healthy))
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("no longer fails\n")
