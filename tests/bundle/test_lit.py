"""The lit test, run by lit with FileCheck."""

from pathlib import Path

import pytest

from oracles.values.compare import MismatchKind
from reducer.bundle.facts import ReproCheck
from reducer.bundle.lit import lit_test
from reducer.bundle.patterns import Pattern
from reducer.bundle.run_check import RunCheck
from tests.support.lit import PROGRAM, lit

ERROR = ReproCheck(("iree-compile", "--x", "repro.mlir"), 1, Pattern.of("failed to legalize 'x.y'"))
SAYS = "echo \"repro.mlir:1:1: error: failed to legalize 'x.y'\" >&2; exit 1"


def test_it_passes_as_long_as_the_failure_occurs(tmp_path: Path) -> None:
    test = lit_test(ERROR, PROGRAM, "legalization: failed")
    assert test is not None and PROGRAM in test
    done = lit(tmp_path, test, SAYS)
    assert done.returncode == 0, done.stdout
    assert lit(tmp_path, test, "exit 0").returncode == 1
    assert lit(tmp_path, test, "echo error: other >&2; exit 1").returncode == 1


def test_a_silent_failure(tmp_path: Path) -> None:
    test = lit_test(ReproCheck(("iree-compile", "repro.mlir"), 1, silent=True), PROGRAM, "silent")
    assert lit(tmp_path, test, "exit 1").returncode == 0
    assert lit(tmp_path, test, SAYS).returncode == 1


def test_a_crash(tmp_path: Path) -> None:
    test = lit_test(ReproCheck(("iree-compile", "repro.mlir"), -11), PROGRAM, "crash")
    assert lit(tmp_path, test, "kill -SEGV $$").returncode == 0
    assert lit(tmp_path, test, "exit 1").returncode == 1
    assert lit(tmp_path, test, "exit 0").returncode == 1


def test_a_hang(tmp_path: Path) -> None:
    test = lit_test(ReproCheck(("iree-compile", "repro.mlir"), seconds=1), PROGRAM, "timeout")
    assert lit(tmp_path, test, "sleep 30").returncode == 0
    assert lit(tmp_path, test, "exit 0").returncode == 1


@pytest.mark.parametrize(
    "line",
    [
        "// RUN: touch %S/owned",
        '"x.y"() {s = "RUN: touch %S/owned"} : () -> ()',
        "// XFAIL: *",
        "// UNSUPPORTED: true",
        "// REQUIRES: no-such-thing",
        "// CHECK: what nobody prints",
        "// CHECK-NOT: failed",
        "// END.",
    ],
)
def test_lit_directives_in_the_program_are_ignored(line: str, tmp_path: Path) -> None:
    test = lit_test(ERROR, f"{line}\n{PROGRAM}", f"failed {line}")
    done = lit(tmp_path, test, SAYS)
    assert done.returncode == 0, done.stdout
    assert "1 (100.00%)" in done.stdout.replace("Passed: ", "")
    assert not list(tmp_path.rglob("owned"))


@pytest.mark.parametrize("word", ["%s", "%t/x", "a b", "$(touch owned)", "'q'", '"', "a;b", "%%"])
def test_words_of_the_command_are_passed_unchanged(word: str, tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", f"--x={word}", "repro.mlir"), 1, Pattern.of("said"))
    told = tmp_path / "told"
    body = f"printf '%s' \"$1\" > {told}; echo error: said >&2; exit 1"
    done = lit(tmp_path, lit_test(check, PROGRAM, "x"), body)  # lit's internal shell runs `not`
    assert done.returncode == 0, done.stdout
    assert told.read_text() == f"--x={word}"


@pytest.mark.parametrize("word", ["files/a.mlir", "--x=y=files/a.mlir,files/a.mlir"])
def test_files_of_the_report_are_found_wherever_lit_runs(word: str, tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", word, "repro.mlir"), 1, Pattern.of("said"))
    body = "for one in $(echo \"$1\" | tr =, '  '); do file=$one; done\n"
    body += '[ -f "$file" ] && echo error: said >&2; exit 1'
    (tmp_path / "suite" / "files").mkdir(parents=True)
    (tmp_path / "suite" / "files" / "a.mlir").touch()
    done = lit(tmp_path, lit_test(check, PROGRAM, "x"), body)
    assert done.returncode == 0, done.stdout


def test_checks_that_lit_cannot_express() -> None:
    assert (
        lit_test(ReproCheck(("mlir-reducer", "repro.mlir"), self_checking=True), PROGRAM, "x")
        is None
    )
    assert lit_test(ReproCheck(("a", "--x=a\nb", "repro.mlir"), 1), PROGRAM, "x") is None
    assert lit_test(ReproCheck(("a", "repro.mlir"), memory=1), PROGRAM, "x") is None


COMPILES = 'cp "$1" "$3"'
CALL = ("iree-run-module", "--module=a.vmfb", "--function=f", "--expected_output=2xi8=1 2")
COMPILE = ("iree-compile", "repro.mlir", "-o", "a.vmfb")


def test_wrong_results(tmp_path: Path) -> None:
    run = RunCheck(CALL, CALL[:-1], MismatchKind.VALUES, is_seen=True)
    test = lit_test(ReproCheck(COMPILE, run=run), PROGRAM, "wrong")
    wrong = 'grep -q x.y "${1#--module=}" && echo "[FAILED] result[0]"; exit 1'
    assert lit(tmp_path, test, COMPILES, wrong).returncode == 0
    assert lit(tmp_path, test, COMPILES, "echo '[SUCCESS]'; exit 0").returncode == 1
    assert lit(tmp_path, test, COMPILES, "echo 'ABORTED'; exit 1").returncode == 1
    assert lit(tmp_path, test, "exit 1", wrong).returncode == 1


def test_wrong_results_that_the_tool_does_not_see_have_no_test() -> None:
    run = RunCheck(CALL, CALL[:-1], MismatchKind.VALUES, is_seen=False)
    assert lit_test(ReproCheck(COMPILE, run=run), PROGRAM, "wrong") is None


def test_a_program_that_fails(tmp_path: Path) -> None:
    run = RunCheck(CALL, CALL, status=1, patterns=(Pattern.of("ABORTED"), Pattern.of("4 is bad")))
    test = lit_test(ReproCheck(COMPILE, run=run), PROGRAM, "fails")
    fails = "echo 'x.c:4: ABORTED; 5 is bad' >&2; exit 1"
    assert lit(tmp_path, test, COMPILES, fails).returncode == 0
    assert lit(tmp_path, test, COMPILES, fails.replace("bad", "good")).returncode == 1
    assert lit(tmp_path, test, COMPILES, "exit 0").returncode == 1
