"""Which way to run a compiler is measured."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits, run_process
from oracles.warm import WarmCompiler
from oracles.warm_choice import choose_runner
from tests.support.fake_compilers import FAIL, write_script

EMPTY = "module {\n}\n"
LIMITS = Limits(120)


def test_program_without_a_library_is_run_plainly(tmp_path: Path) -> None:
    executable = write_script(tmp_path / "iree-compile", FAIL)
    oracle = CompilerOracle(Command.parse(["iree-compile"]), executable, limits=LIMITS)
    choice = choose_runner(oracle, EMPTY)
    assert (choice.runner, choice.warm, choice.gain) == (run_process, None, 1.0)
    choice.close()


@pytest.mark.iree
def test_real_compiler_is_measured_in_both_ways(iree_compile: Path) -> None:
    command = Command.parse(["iree-compile", "--iree-hal-target-backends=llvm-cpu"])
    oracle = CompilerOracle(command, iree_compile, limits=LIMITS)
    choice = choose_runner(oracle, EMPTY, runs=1)
    assert choice.warm is not None and choice.gain > 0
    assert choice.is_warm is isinstance(choice.runner, WarmCompiler)
    assert oracle.runner is run_process, "the oracle itself is left as it was"
    choice.close()
    choice.close()
