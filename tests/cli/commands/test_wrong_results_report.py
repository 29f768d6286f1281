"""The report about wrong results: `repro.sh` compiles, runs and compares the module elsewhere."""

import os
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli import main
from reducer.toolchain import Toolchain, install
from tests.support.corpus import load_case
from tests.support.fake_compilers import write_script
from tests.support.lit import lit

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


Ask = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def ask(report: Path, tmp_path: Path) -> Ask:
    """Runs `repro.sh` in an empty folder, with only the tools of one release on PATH."""
    empty = tmp_path / "empty"
    empty.mkdir()

    def run(tools: Path, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", report / "repro.sh"],
            env={"PATH": f"{tools}:{os.environ['PATH']}", **more},
            cwd=empty,
            capture_output=True,
            text=True,
            timeout=600,
        )

    return run


def tools_of(toolchain: Toolchain, folder: Path) -> Path:
    """A folder with a compiler and its runtime, as an environment of Python has them."""
    folder.mkdir()
    (folder / "iree-compile").symlink_to(toolchain.compile)
    (folder / "iree-run-module").symlink_to(toolchain.run_module)
    return folder


def test_the_compiler_stays_at_home(report: Path) -> None:
    assert {one.name for one in (report / "files").iterdir()} == {"compare.py", "run.expected.txt"}
    first, second = (report / "repro.mlir").read_text().splitlines()[:2]
    assert first == "// iree-compile --iree-hal-target-backends=llvm-cpu repro.mlir -o a.vmfb"
    assert second.startswith("// iree-run-module --device=local-task --module=a.vmfb --function=f ")
    assert f"{first[3:]}\n{second[3:]}\n" in (report / "report.md").read_text()


def test_the_very_inputs_are_asked_again(report: Path) -> None:
    """Another release may be wrong for inputs that were not tried here."""
    second = (report / "repro.mlir").read_text().splitlines()[1]
    assert second.count("--input=4xf32=") == 2
    assert second.count("--expected_output=4xf32=") == 1


def test_the_report_says_who_judged(report: Path) -> None:
    text = (report / "report.md").read_text()
    assert "The expected values are those of the evaluator and vmvx" in text
    assert "The evaluator is part of mlir-reducer." in text


def test_wrong_results_are_seen_elsewhere(
    ask: Ask, iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    done = ask(tools_of(iree_toolchain(), tmp_path / "bin"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("still fails as reported: result 0, element ")


def test_another_failure_is_not_these_results(ask: Ask, tmp_path: Path) -> None:
    """A compiler that rejects the module has neither kept nor fixed the defect."""
    broken = write_script(tmp_path / "iree-compile", 'echo "error: not today" >&2; exit 1\n')
    write_script(tmp_path / "iree-run-module", "exit 1\n")
    done = ask(Path("/none"), IREE_COMPILE=str(broken))
    assert done.returncode == 2, done.stdout
    assert "error: not today" in done.stdout


def test_no_tools_at_all(ask: Ask) -> None:
    done = ask(Path("/none"))
    assert done.returncode == 2, done.stdout
    assert done.stdout == "cannot run iree-compile; set IREE_COMPILE=/path/to/it\n"


def test_the_test_for_lit(
    report: Path, iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """It passes once the results are right."""
    toolchain = iree_toolchain()
    real = [f'exec {one} "$@"' for one in (toolchain.compile, toolchain.run_module)]
    fixed = (report / "regression.lit.mlir").read_text()
    assert lit(tmp_path, fixed, *real).returncode == 1
    done = lit(tmp_path, fixed.replace("llvm-cpu", "vmvx"), *real)
    assert done.returncode == 0, done.stdout


CASES = {
    "mis-powf-negative-base": "3.2.0",
    "mis-ctlz-i8-vmvx": None,
    "seed-21028-collapse-store-miscompile": "3.6.0",
}
"""Miscompiled programs of the corpus, each with a release that compiles it correctly."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", CASES)
def test_the_script_tells_wrong_releases_from_right_ones(name: str, tmp_path: Path) -> None:
    """In an empty folder, with nothing but the tools of one release."""
    case = load_case(name)
    model = case.write_input(tmp_path / "model.mlir")
    done = CliRunner().invoke(main, ["report", str(model), *case.words(case.runs[0])])
    assert done.exit_code == 0, done.output
    (tmp_path / "empty").mkdir()
    for number, version in enumerate((case.runs[0].wheel, CASES[name])):
        if version is None:
            continue
        tools = tools_of(install(version, runtime=True), tmp_path / version)
        script = subprocess.run(
            ["sh", tmp_path / "model.report" / "repro.sh"],
            env={"PATH": f"{tools}:{os.environ['PATH']}"},
            cwd=tmp_path / "empty",
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert script.returncode == number, script.stdout + script.stderr
        told = ("still fails as reported: ", "no longer fails\n")[number]
        assert script.stdout.startswith(told)


@pytest.mark.slow
def test_a_program_that_crashes(tmp_path: Path) -> None:
    """Up to 3.8.0 the runtime crashes on a dispatch that does not use one of its arguments."""
    model = load_case("mis-ctlz-i8-vmvx").write_input(tmp_path / "model.mlir")
    flags = ["--", "iree-compile", "--iree-hal-target-backends=vmvx"]
    done = CliRunner().invoke(
        main, ["report", str(model), "--iree", "3.8.0", "--wrong-results", *flags]
    )
    assert done.exit_code == 0, done.output
    report = tmp_path / "model.report"
    assert "Compiled program fails" in (report / "report.md").read_text().splitlines()[0]
