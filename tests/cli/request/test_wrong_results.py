"""Wrong results on the command line."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.cli.request.call_options import CallOptions
from reducer.cli.request.wrong_results import WrongResults
from tests.conftest import NEWEST_TESTED
from tests.support.corpus import load_case
from tests.support.fake_compilers import write_script
from tests.support.opt_tools import find_opt


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.mlir"
    path.write_text("module {\n}\n")
    return path


ASKED = ["--wrong-results", "--iree", NEWEST_TESTED]


@pytest.mark.iree
@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (
            [*ASKED, "--reference", "gpu"],
            *(2, "--reference gpu: give evaluator, mlir-runner, vmvx, llvm-cpu"),
        ),
        ([*ASKED, "--reference", "python:none.py:f"], 127, "none.py: no such file"),
        (
            [*ASKED, "--reference", "python:ref.py:h"],
            *(2, "ref.py defines no function h; it has f, g"),
        ),
        (
            [*ASKED, "--reference", "iree:3.13.0+gpu"],
            *(2, "unknown backend 'gpu'; give vmvx or llvm-cpu"),
        ),
        ([*ASKED, "--input", "2xx3"], 2, "is not an input such as"),
    ],
)
def test_options_that_make_no_sense(
    model: Path, options: list[str], code: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(model.parent)
    Path("ref.py").write_text("import math\ndef f(a): return a\ndef g(a): return a\n")
    done = run("check", model, *options, "--", "iree-compile", "--iree-hal-target-backends=vmvx")
    assert done.exit_code == code
    assert told in done.stderr


@pytest.mark.iree
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("func.func @f() -> (i32 attributes {x}) {\n}\n", "(exit code 1): 1:23: expected ')'"),
        (
            "func.func @f() -> i32 {\n  return %b : i32\n}\n",
            "(exit code 1): 2:10: use of undeclared SSA value",
        ),
        ('func.func @f() {\n  "x.y"() : () -> ()\n  return\n}\n', "(SIGSEGV)"),
    ],
)
def test_a_program_that_does_not_compile_has_no_results(model: Path, text: str, said: str) -> None:
    model.write_text(text)
    words = ("--wrong-results", "--iree", NEWEST_TESTED, "--")
    done = run("reduce", model, *words, "--iree-hal-target-backends=llvm-cpu")
    assert done.exit_code == 1
    assert f"the program does not compile {said}" in done.stderr
    assert done.stderr.rstrip().endswith("to reduce that failure, leave out --wrong-results")


@pytest.mark.iree
def test_a_function_that_is_not_there(model: Path) -> None:
    model.write_text(
        "func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> { return %a : tensor<2xi32> }"
    )
    command = ["--", "iree-compile", "--iree-hal-target-backends=vmvx"]
    call = ["--", "iree-run-module", "--function=g"]
    done = run("check", model, "--iree", NEWEST_TESTED, *command, *call)
    assert done.exit_code == 5
    assert "cannot judge:\n  no such function: g\n  what would help: " in done.stdout
    assert "success" not in done.stdout


DOUBLE = """
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.addf %a, %a : tensor<4xf32>
  return %s : tensor<4xf32>
}
"""
COMMAND = ["--", "iree-compile", "--iree-hal-target-backends=llvm-cpu"]


@pytest.mark.iree
def test_a_function_that_accuses_a_healthy_program_is_not_followed(
    model: Path, tmp_path: Path
) -> None:
    model.write_text(DOUBLE)
    reference = tmp_path / "reference.py"
    reference.write_text("def half(x):\n    return x / 2\n")
    done = run("reduce", model, *ASKED, "--reference", f"python:{reference}:half", *COMMAND)
    assert done.exit_code == 5
    assert "nothing can judge those of smaller programs: the evaluator computes" in done.stderr
    assert "--test" in done.stderr and "VERIFIED" not in done.output
    assert not model.with_name("model.reduced.mlir").exists()


@pytest.mark.iree
def test_a_reference_that_cannot_run_is_named_once(model: Path, tmp_path: Path) -> None:
    """Not a `success`, and not once for each input that was tried."""
    model.write_text(DOUBLE)
    reference = tmp_path / "reference.py"
    reference.write_text("import numpy\n\ndef twice(x):\n    return x + x\n")
    without = write_script(tmp_path / "python", f'exec "{sys.executable}" -I -S "$@"\n')
    words = [*ASKED, "--reference", f"python:{reference}:twice@{without}"]
    done = run("check", model, *words, *COMMAND)
    assert done.exit_code == 5
    assert done.stdout.count("No module named 'numpy' (on 10 inputs)") == 1
    assert "cannot judge:" in done.stdout and "success" not in done.stdout
    assert run("reduce", model, *words, *COMMAND).exit_code == 5


@pytest.mark.iree
def test_a_program_runs_where_its_target_is(tmp_path: Path) -> None:
    """It is hardly the chip of a machine that runs the tests."""
    model = tmp_path / "input.mlir"
    model.write_text(load_case("mis-insert-element-2d").input_text())
    words = ["--wrong-results", "--iree", NEWEST_TESTED, "--", "iree-compile"]
    done = run("check", model, *words, "--iree-hal-target-device=hip", "--iree-rocm-target=gfx908")
    assert done.exit_code == 5
    assert "cannot run on --device=hip on this machine" in done.stdout


@pytest.mark.iree
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_wrong_results_reduce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hand-written trigger reduces to something no larger, confirmed by its own command.

    The benchmark of the corpus reduces all others.
    """
    monkeypatch.chdir(tmp_path)
    case = load_case("mis-ctlz-i8-vmvx")
    case.write_input(Path("in.mlir"))
    words = case.words(case.runs[0])
    done = run("reduce", "in.mlir", "--json", "out.json", "-q", "--no-report", *words)
    assert done.exit_code == 0, done.output
    report = json.loads(Path("out.json").read_text())
    assert report["verified"] and report["kind"] == "miscompile"
    assert report["output"]["ops"] <= 5
    shown = report["command"]
    assert shown[0] == "mlir-reducer", shlex.join(shown)
    not_run_before = _asking("iree:3.8.0+llvm-cpu", words)
    for again in (run(*shown[1:]), run("check", "in.reduced.mlir", *not_run_before)):
        assert again.exit_code == 0
        assert report["bucket"] in again.stdout


def _asking(reference: str, words: list[str]) -> list[str]:
    """The same words with another reference."""
    if "--reference" not in words:
        return ["--reference", reference, *words]
    at = words.index("--reference") + 1
    return [*words[:at], reference, *words[at + 1 :]]


def test_what_is_known_of_the_input_is_not_asked_about_results() -> None:
    call = CallOptions(("iree-run-module", "--expected_output=f32=1"), ("7",))
    given = WrongResults(("python:ref.py:f", "vmvx"), call=call)
    assert given.run_words() and not given.for_candidates.run_words()
    words = given.for_candidates.words()
    assert words == ["--wrong-results", "--reference", "vmvx", "--input=7"]


@pytest.mark.iree
def test_tools_from_outside_can_be_named(tmp_path: Path) -> None:
    find_opt()
    model = tmp_path / "input.mlir"
    model.write_text(load_case("mis-insert-element-2d").input_text())
    words = ["--wrong-results", "--iree", NEWEST_TESTED, "--reference", "mlir-runner"]
    done = run("check", model, *words, "--", "iree-compile", "--iree-hal-target-backends=llvm-cpu")
    assert done.exit_code == 0
    assert "expected values: the evaluator and mlir-runner 22" in done.stdout
