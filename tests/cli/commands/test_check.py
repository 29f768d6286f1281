"""`mlir-reducer check`"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.identity import unstable_crash
from tests.support.fake_compilers import write_script
from tests.support.in_process import Answer, Programs, Run

pytestmark = pytest.mark.usefixtures("nothing_installed")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_check_says_what_would_be_kept(model: Path, fake: Path) -> None:
    done = run("check", model, "--", fake)
    assert done.exit_code == 0
    assert "legalization: failed to legalize operation 'x.bad'" in done.stdout
    assert "1 error:\n  1:1: failed to legalize" in done.stdout
    assert "exit code   1" in done.stdout
    assert not (model.parent / "in.reduced.mlir").exists()


def test_check_names_the_file_of_an_error_elsewhere(model: Path, fake: Path) -> None:
    """A library of transforms, or the Python source of the model."""
    fake.write_text(
        "#!/bin/sh\ngrep -q x.bad $1 && echo '/a/lib.mlir:4:10: error: not here' >&2; exit 1\n"
    )
    done = run("check", model, "--", fake)
    assert "1 error:\n  lib.mlir:4:10: not here" in done.stdout


@pytest.mark.parametrize("end", ["but found 3", "expected 6 (wrong values)", "of result #0"])
def test_a_long_message_keeps_its_end(model: Path, fake: Path, end: str) -> None:
    message = f"'x.bad' op operand has type tensor<{'4x' * 200}f32>, {end}"
    fake.write_text(f'#!/bin/sh\ngrep -q x.bad $1 && echo "$1:1:1: error: {message}" >&2; exit 1\n')
    done = run("check", model, "--", fake)
    (line,) = [line for line in done.stdout.splitlines() if "…" in line]
    assert line.startswith("  1:1: 'x.bad' op operand has type") and line.endswith(end)
    assert len(line) <= 160


def test_check_as_json(model: Path, fake: Path) -> None:
    done = run("check", model, "--json", "-", "--", fake)
    answer = json.loads(done.stdout)
    assert {"cpu_seconds", "wall_seconds"} <= answer.keys()
    assert answer["interesting"] is True
    assert answer["kind"] == "legalization"
    assert answer["diagnostics"][0]["message"] == "failed to legalize operation 'x.bad'"
    assert len(answer["bucket"]) == 12


@pytest.mark.parametrize(
    ("command", "fixed", "random", "said"),
    [
        ("check", -11, -6, "fails in this way in 2 of 2 runs with fixed addresses, and in 0 of 2"),
        ("locate", -11, -6, "fails in this way in 2 of 2 runs with fixed addresses, and in 0 of 2"),
        ("check", -11, -11, ""),
        ("check", 0, -11, "it fails in 1 of 2 runs"),
    ],
)
def test_what_addresses_decide_is_said(
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    fixed: int,
    random: int,
    said: str,
) -> None:
    def program(run: Run) -> Answer:
        return Answer((fixed if run.fixed else random) if "x.bad" in run.text else 0)

    path = Programs(monkeypatch).add(tmp_path / "crashes", program)
    done = run(command, model, "--", path)
    assert done.exit_code == 0, done.output
    assert "SIGSEGV" in done.stdout and said in done.stdout
    assert said or "fixed addresses" not in done.stdout


def test_without_fixed_addresses_nothing_is_said_of_them(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program(run: Run) -> Answer:
        return Answer((-11 if run.fixed else -6) if "x.bad" in run.text else 0)

    path = Programs(monkeypatch).add(tmp_path / "crashes", program)
    monkeypatch.setattr(unstable_crash, "addresses_can_be_fixed", lambda: False)
    done = run("check", model, "--", path)
    assert "fails in this way in 2 of 4 runs" in done.stdout, done.output
    assert "with fixed addresses" not in done.stdout


def test_a_script_that_finds_nothing_is_run_once(model: Path, tmp_path: Path) -> None:
    script = write_script(tmp_path / "test.sh", f"echo >> {tmp_path}/runs; exit 1\n")
    assert run("check", model, "--test", script).exit_code == 1
    assert (tmp_path / "runs").read_text() == "\n"


def test_check_of_a_success(model: Path) -> None:
    done = run("check", model, "--", "true")
    assert done.exit_code == 1
    assert "kind        success" in done.stdout
    assert "bucket" not in done.stdout


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["--match", "legalize .*bad"], "match"),
        (["--match", "something else"], "success"),
        (["--signature", "exit=1"], "exit-code"),
        (["--signature", "exit=2"], "success"),
        (["--match", "legalize", "--signature", "exit=1"], "match"),
    ],
)
def test_check_with_a_pattern(model: Path, fake: Path, words: list[str], kind: str) -> None:
    done = run("check", model, *words, "--json", "-", "--", fake)
    assert json.loads(done.stdout)["kind"] == kind


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["--match", "something else"], "nothing in the output matches 'something else'"),
        (["--match", "legalize", "--signature", "exit=2"], "the exit code is 1, not 2"),
    ],
)
def test_another_failure_than_the_one_asked_for(
    model: Path, fake: Path, words: list[str], missing: str
) -> None:
    done = run("check", model, *words, "--", fake)
    assert done.exit_code == 1
    assert "kind        not the requested failure\nexit code   1" in done.stdout
    assert f"1 remark:\n  {missing}" in done.stdout
    refused = run("reduce", model, *words, "--", fake)
    assert refused.exit_code == 1
    assert f"does not fail as asked on the input; {missing}" in refused.stderr


@pytest.mark.parametrize("flag", ["--flga", "--json=out.json"])
def test_a_wrong_flag_is_no_failure_of_the_input(model: Path, flag: str) -> None:
    done = run("check", model, "--json", "-", "--", "cat", flag)
    assert done.exit_code == 1
    assert not json.loads(done.stdout)["interesting"]
    assert "an empty module fails the same way, so the problem is in the command" in done.stderr
    told = "--json=out.json is an option of mlir-reducer; put it before the two dashes"
    assert (told in done.stderr) == (flag == "--json=out.json")
    assert "bucket" not in run("check", model, "--", "cat", flag).stdout


def test_another_input_in_the_command_is_pointed_out(model: Path, tmp_path: Path) -> None:
    tool = write_script(
        tmp_path / "t-opt", "[ $# = 2 ] || echo 'error: one input only' >&2; exit 1\n"
    )
    other = tmp_path / "other.mlir"
    other.touch()
    for command in ("check", "reduce"):
        done = run(command, model, "--", tool, "--flag", other)
        assert done.exit_code == 1
        told = f"the command reads {other} as well; leave it out, or"
        assert told in done.stderr
    assert told in run("check", model, "--", "true", other).stderr
    assert "the command reads" not in run("check", model, "--", "cat", "--flga").stderr


def test_the_input_takes_the_place_of_a_program_that_does_not_exist(
    model: Path, tmp_path: Path
) -> None:
    """The command was copied from where it has another name."""
    tool = write_script(tmp_path / "t-opt", 'echo "$@" >&2; exit 1\n')
    for command in ("check", "reduce"):
        done = run(command, model, "--", tool, "other.mlir", "-o", "out.mlir")
        assert f"other.mlir does not exist; compiling {model} instead" in done.stderr
        assert "the command reads" not in done.stderr
    assert "out.mlir" not in run("check", model, "--", tool, "-o", "out.mlir").stderr


def test_the_flag_that_the_compiler_suggests_is_passed_on(model: Path, tmp_path: Path) -> None:
    llvm = write_script(
        tmp_path / "llvm",
        "echo \"llvm: Unknown command line argument '--devise'.  Try: 'llvm --help'\" >&2\n"
        "echo \"llvm: Did you mean '--device'?\" >&2; exit 1\n",
    )
    for command in ("check", "reduce"):
        done = run(command, model, "--", llvm, "--devise")
        assert done.exit_code == 1
        assert "Unknown command line argument '--devise'. Did you mean --device?" in done.stderr


def test_a_script_that_is_of_no_use_is_told_so(model: Path, tmp_path: Path) -> None:
    never = write_script(tmp_path / "never", "exit 3\n")
    done = run("reduce", model, "--test", never)
    assert done.exit_code == 1
    assert "the script exits with 3 on the input; 0 means interesting" in done.stderr
    always = write_script(tmp_path / "always", "exit 0\n")
    for command in ("check", "reduce"):
        done = run(command, model, "--test", always)
        assert done.exit_code == 1
        assert "the script finds an empty module interesting;" in done.stderr


def test_check_with_a_script(model: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.sh"
    test.write_text('#!/bin/sh\ngrep -q x.bad "$1"\n')
    test.chmod(0o755)
    assert json.loads(run("check", model, "--test", test, "--json", "-").stdout)["kind"] == "script"


def test_the_command_may_name_the_input_or_not(model: Path, fake: Path) -> None:
    plain = run("check", model, "--json", "-", "--", fake, "--flag").stdout
    named = run("check", model, "--json", "-", "--", fake, model, "--flag").stdout
    braces = run("check", model, "--json", "-", "--", fake, "--flag", "{}").stdout
    assert json.loads(plain)["bucket"] == json.loads(braces)["bucket"]
    assert json.loads(named)["command"] == [str(fake), str(model), "--flag"]


def test_an_option_that_the_program_has_is_not_misplaced(model: Path, tmp_path: Path) -> None:
    other = write_script(tmp_path / "other", "echo 'error: cannot connect' >&2; exit 1\n")
    done = run("check", model, "--", other, "-v", "x")
    assert "an empty module fails the same way" in done.stderr
    assert "option of mlir-reducer" not in done.stderr


def test_an_error_that_does_not_fail_is_pointed_out(model: Path, tmp_path: Path) -> None:
    quiet = write_script(tmp_path / "quiet", "echo 'error: no such op' >&2; exit 0\n")
    done = run("check", model, "--", quiet)
    assert done.exit_code == 1
    assert "note        it exits with 0 but prints an error; to preserve it: --match" in done.stdout
