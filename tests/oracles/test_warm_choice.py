"""Runs go warm when that is measured to be worth it."""

import threading
from pathlib import Path

import pytest

from oracles import End, Limits
from oracles.warm_choice import EventuallyWarm
from tests.support.fake_compilers import write_script

LIMITS = Limits(120)


def test_program_without_a_library_stays_plain(tmp_path: Path) -> None:
    executable = write_script(tmp_path / "iree-compile", "echo $input")
    with EventuallyWarm(executable, first_look=1) as runner:
        for _ in range(3):
            result = runner([str(executable), "x"], cwd=tmp_path, limits=LIMITS)
            assert result.stdout == "x\n"
        assert not runner.is_warm
        assert runner.saving is None


@pytest.mark.iree
def test_short_runs_go_warm(iree_compile: Path, tmp_path: Path) -> None:
    """Nothing is shorter than a run that only starts: it saves as much as can be saved."""
    argv = [str(iree_compile), "--version"]
    with EventuallyWarm(iree_compile, first_look=2) as runner:
        first = runner(argv, cwd=tmp_path, limits=LIMITS)
        assert runner.saving is None, "too early to look"
        runner(argv, cwd=tmp_path, limits=LIMITS)
        assert runner.saving is not None
        assert runner.is_warm
        assert runner(argv, cwd=tmp_path, limits=LIMITS).stdout == first.stdout


@pytest.mark.iree
def test_long_runs_stay_plain(iree_compile: Path, tmp_path: Path) -> None:
    lines = "\n".join(f"  %v{n} = arith.addi %a, %a : i32" for n in range(60_000))
    (tmp_path / "input.mlir").write_text(f"func.func @f(%a: i32) {{\n{lines}\n  return\n}}\n")
    argv = [str(iree_compile), "--compile-to=input", "input.mlir", "-o", "output.mlir"]
    with EventuallyWarm(iree_compile, first_look=1) as runner:
        assert runner(argv, cwd=tmp_path, limits=LIMITS).exit_code == 0
        assert runner.saving is not None
        assert not runner.is_warm


@pytest.mark.iree
def test_cancelled_run_is_no_measurement(iree_compile: Path, tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    argv = [str(iree_compile), "--version"]
    with EventuallyWarm(iree_compile, first_look=1) as runner:
        result = runner(argv, cwd=tmp_path, limits=LIMITS, cancel=cancel)
        assert result.end is End.CANCELLED
        assert runner.saving is None
