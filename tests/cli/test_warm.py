"""The `--warm` option gives the oracle another runner for a while."""

from pathlib import Path

from oracles import Command, CompilerOracle, PatternOracle, ScriptOracle, run_process
from oracles.warm import WarmCompiler
from reducer.cli.warm import warmed
from tests.support.fake_compilers import FAIL, write_script


def compiler(folder: Path) -> CompilerOracle:
    executable = write_script(folder / "iree-compile", FAIL)
    return CompilerOracle(Command.parse(["iree-compile"]), executable)


def test_as_asked(tmp_path: Path) -> None:
    oracle = compiler(tmp_path)
    with warmed(oracle, True):
        assert isinstance(oracle.runner, WarmCompiler)
    assert oracle.runner is run_process
    with warmed(oracle, False):
        assert oracle.runner is run_process


def test_compiler_behind_a_pattern(tmp_path: Path) -> None:
    oracle = compiler(tmp_path)
    with warmed(PatternOracle(oracle, regex="x"), True):
        assert isinstance(oracle.runner, WarmCompiler)
        assert oracle.shortened()[0].runner is oracle.runner


def test_script_has_no_library(tmp_path: Path) -> None:
    with warmed(ScriptOracle(write_script(tmp_path / "test.sh", FAIL)), True):
        pass
