"""Options of the former release mean what they did, with a warning that says what replaces them."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.cli.options.oracle import with_oracle_options
from reducer.cli.options.reduce import reduce
from reducer.cli.options.trailing import TrailingCommand
from tests.support.fake_compilers import FAIL, write_script

SEEN: dict[str, object] = {}


@click.command(cls=TrailingCommand)
@with_oracle_options()
def ask(**values: object) -> None:
    SEEN.clear()
    SEEN.update(values)


def run(*words: str, **environment: str) -> Result:
    done = CliRunner().invoke(ask, words, env=environment)
    assert done.exit_code == 0, done.output
    return done


@pytest.mark.parametrize(
    ("former", "today"),
    [
        (["--oracle", "settles:2"], ["--test", "settles:2"]),
        (["--exit-code", "-11"], ["--signature", "exit=-11"]),
        (["--signed-zeros"], ["--tolerance", "signed-zeros"]),
        (["--tolerance", "0.5", "--no-signed-zeros"], ["--tolerance", "0.5,any-zeros"]),
        (
            ["--reference", "python:f.py:g", "--python", "py"],
            ["--reference", "python:f.py:g@py"],
        ),
    ],
)
def test_a_former_option_is_one(former: list[str], today: list[str]) -> None:
    warned = run(*former, "--", "x").stderr
    found = dict(SEEN)
    assert run(*today, "--", "x").stderr == ""
    assert found == SEEN
    assert warned.count("warning: ") == 1 and "will be gone in the next release" in warned


@pytest.mark.parametrize("jobs", [[], ["-j", "3"]])
def test_a_scheduler_is_a_value_of_jobs(jobs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLIR_REDUCER_JOBS")
    found = []
    for words in ([*jobs, "--scheduler", "h:1"], ["-j", ",".join([*jobs[1:], "h:1"])]):
        with reduce.make_context("reduce", ["in.mlir", *words, "--", "x"]) as context:
            found.append(context.params)
    assert found[0] == found[1]


def test_how_a_program_is_called_is_said_by_its_command() -> None:
    former = ["--wrong-results", "--function", "f", "--device=hip", "--parameters=m=w.irpa"]
    run(*former, "--expected-output", "1", "--expected-output", "2", "--", "iree-compile")
    found = SEEN["run"]
    flags = ["--function=f", "--expected_output=1", "--expected_output=2"]
    assert found == (*flags, "--parameters=m=w.irpa", "--device=hip")
    run("--", "iree-compile", "-x", "--", "iree-run-module", *flags)
    assert SEEN["run"] == ("iree-run-module", *flags) and SEEN["wrong_results"]
    assert SEEN["words"] == ("iree-compile", "-x")
    run("--", "bash", "-c", "x", "--", "a")
    assert "run" not in SEEN and SEEN["words"] == ("bash", "-c", "x", "--", "a")


def test_the_tool_that_prints_ir_may_stay_in_the_environment() -> None:
    assert run("--", "x", MLIR_REDUCER_OPT="a-opt").stderr == "" and SEEN["opt"] == "a-opt"
    assert "MLIR_REDUCER_OPT instead" in run("--opt", "a-opt", "--", "x").stderr
    assert SEEN["opt"] == "a-opt"


def test_former_keys_of_a_file_warn_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    write_script(tmp_path / "fake", FAIL)
    (tmp_path / "in.mlir").write_text('"x.bad"() : () -> ()\n')
    (tmp_path / "mlir-reducer.toml").write_text("keep-flags = true\n[bisect]\nkeep = true\n")
    words = ["in.mlir", "--no-report", "--no-pass-level", "--json", "-", "--", "./fake", "--x"]
    done = CliRunner().invoke(main, ["reduce", *words])
    assert done.exit_code == 0, done.output
    assert (
        "warning: --keep-flags will be gone in the next release; give --keep flags" in done.stderr
    )
    assert json.loads(done.stdout)["command"] == ["./fake", "--x", "in.reduced.mlir"]
