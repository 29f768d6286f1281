"""What a user asks for becomes an oracle, or a sentence that says what is wrong with it.

Here: how to call a compiled program, and what it should give.
"""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.cli.request.call_options import CallOptions, read_call
from reducer.errors import MissingInput, UsageError
from reducer.miscompile.values.programs import UNKNOWN, ValueType
from reducer.miscompile.values.user_inputs import InputSpec
from reducer.toolchain import install
from tests.conftest import NEWEST_TESTED
from tests.support.corpus import load_case


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder as in suites of tests: a flag file, and arrays beside it."""
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "input_0.bin").write_bytes(np.array([1, 2], dtype="f4").tobytes())
    (folder / "weights.irpa").write_bytes(b"")
    (folder / "flags.txt").write_text(
        "--function=f\n--input=2xf32=@input_0.bin\n--expected_output=2xf32=3 4\n"
        "--expected_output=(ignored)\n--parameters=model=weights.irpa\n--module=m\n"
    )
    return folder


def test_a_flag_file_is_read_in_its_folder(suite: Path) -> None:
    call = read_call(CallOptions((f"--flagfile={suite}/flags.txt",)))
    assert call.function == "f"
    assert call.given == (InputSpec(ValueType("f32", (2,)), "1 2"),)
    expected, ignored = call.expected
    assert (expected.type, *expected.elements) == (ValueType("f32", (2,)), 3, 4)
    assert ignored is UNKNOWN
    assert call.parameters == (f"model={suite / 'weights.irpa'}",)
    assert call.ignored == ("--module=m",)


def test_options_override_the_flag_file(suite: Path) -> None:
    words = ["iree-run-module", f"--flagfile={suite}/flags.txt", "--function", "g"]
    words += ["--device=other", "--expected_output=8"]
    call = read_call(CallOptions(tuple(words), ("7",)))
    assert (call.function, call.device) == ("g", "other")
    assert call.given == (InputSpec(None, "7"),)
    (expected,) = call.expected
    assert (expected.type, *expected.elements) == (ValueType("i64", None), 8)
    assert call.parameters == (f"model={suite / 'weights.irpa'}",)


def test_options_hold_in_any_folder(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suite)
    run = ["iree-run-module", "--flagfile=flags.txt", "--function", "f"]
    run += ["--parameters=model=weights.irpa", "--expected_output=(ignored)"]
    options = CallOptions(tuple(run), ("2xf32=@input_0.bin", "2xf32=1 2", "*a.npy"))
    assert options.input_words() == [
        f"--input=2xf32=@{suite}/input_0.bin",
        "--input=2xf32=1 2",
        f"--input=*{suite}/a.npy",
    ]
    assert options.run_words() == [
        "iree-run-module",
        f"--flagfile={suite}/flags.txt",
        "--function=f",
        f"--parameters=model={suite}/weights.irpa",
        "--expected_output=(ignored)",
    ]


def test_a_tool_of_mlir_calls_a_function() -> None:
    assert read_call(CallOptions(("mlir-runner-22", "-e", "main"))).function == "main"
    call = read_call(CallOptions(("./build/iree-run-module", "--module=x.vmfb", "--input=7")))
    assert call.program == Path("build/iree-run-module").absolute() and not call.ignored
    assert call.given == (InputSpec(None, "7"),)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        (CallOptions(inputs=("@none.npy",)), UsageError, "--input: none.npy: No such file"),
        (
            CallOptions(("--expected_output=2xf32=1 2 3",)),
            UsageError,
            "2xf32 takes 2 values, not 3",
        ),
        (CallOptions(("--flagfile=none",)), MissingInput, "--flagfile: none: No such file"),
        (CallOptions(("--parameters=a=none.irpa",)), MissingInput, "none.irpa: no such file"),
    ],
)
def test_files_that_are_not_there(
    options: CallOptions,
    error: type[Exception],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=told):
        read_call(options)


def check(*words: object) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, words)])


@pytest.mark.iree
def test_wrong_results_for_inputs_from_files(tmp_path: Path) -> None:
    """The corpus gives these inputs as text; here they come from files, by a flag file."""
    case = load_case("mis-powf-negative-base")
    model = case.write_input(tmp_path / "model.mlir")
    np.save(tmp_path / "base.npy", np.array([-1, -2, 3, -7], dtype="f4"))
    (tmp_path / "power.bin").write_bytes(np.array([3, 2, 2, 3], dtype="f4").tobytes())
    flags = tmp_path / "flags.txt"
    flags.write_text("--input=@base.npy\n--input=4xf32=@power.bin\n")
    command = ["--iree", NEWEST_TESTED, "--", "iree-compile", *case.runs[0].flags]
    run = ["--", "iree-run-module", f"--flagfile={flags}"]
    done = check(model, *command, *run)
    assert done.exit_code == 0, done.output
    assert "@f(4xf32=-1 -2 3 -7, 4xf32=3 2 2 3)" in done.stdout
    (line,) = (one for one in done.stdout.splitlines() if one.startswith("run  "))
    assert line.endswith(
        "iree-run-module --device=local-task --module=a.vmfb --function=f "
        "'--input=4xf32=-1 -2 3 -7' '--input=4xf32=3 2 2 3' '--expected_output=4xf32=-1 4 9 -343' "
        "--expected_f32_threshold=0.345686"
    )
    np.save(tmp_path / "base.npy", np.array([1, 2, 3, 7], dtype="f4"))
    done = check(model, *command, *run)
    assert done.exit_code == 1, done.output


@pytest.mark.iree
@pytest.mark.slow
def test_parameters_reach_the_program_and_the_report(tmp_path: Path) -> None:
    toolchain = install(NEWEST_TESTED, runtime=True)
    maker = toolchain.run_module.with_name("iree-create-parameters")
    words = [maker, "--data=base=4xf32=-2.0", f"--output={tmp_path}/base.irpa"]
    subprocess.run(words, check=False, capture_output=True)  # it cannot print to a closed stream
    model = tmp_path / "model.mlir"
    text = load_case("mis-powf-negative-base").input_text()
    declared = 'util.global private @w = #flow.parameter.named<"m"::"base"> : tensor<4xf32>\n'
    loaded = "{\n  %a = util.global.load @w : tensor<4xf32>\n"
    model.write_text(declared + text.replace("%a: tensor<4xf32>, ", "").replace("{\n", loaded, 1))
    command = ["--", "iree-compile", "--iree-hal-target-backends=llvm-cpu"]
    command += ["--", "iree-run-module", f"--parameters=m={tmp_path}/base.irpa"]
    done = CliRunner().invoke(main, ["report", str(model), "--iree", NEWEST_TESTED, *command])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "model.report" / "files" / "base.irpa").is_file()
    script = (tmp_path / "model.report" / "repro.sh").read_text()
    assert "--parameters=m=files/base.irpa" in script
