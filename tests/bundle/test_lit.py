"""The lit test, run by lit with FileCheck."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reducer.bundle.facts import ReproCheck
from reducer.bundle.lit import lit_test
from reducer.bundle.patterns import Pattern

PROGRAM = 'func.func @f() { "x.y"() : () -> () }\n'
ERROR = ReproCheck(("iree-compile", "--x", "repro.mlir"), 1, Pattern.of("failed to legalize 'x.y'"))
SAYS = "echo \"repro.mlir:1:1: error: failed to legalize 'x.y'\" >&2; exit 1"


def lit(folder: Path, test: str | None, body: str) -> "subprocess.CompletedProcess[str]":
    """Run one test as a project's test suite would."""
    assert test is not None
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for name, text in {
        "iree-compile": f"#!/bin/sh\n{body}\n",
        "FileCheck": f'#!/bin/sh\nexec {sys.executable} -m filecheck "$@"\n',
        "not": '#!/bin/sh\n[ "$1" = --crash ] && shift\n"$@"\n[ $? -gt 128 ]\n',
    }.items():
        (tools / name).unlink(missing_ok=True)  # a link would be written through
        if real := next(Path("/usr/lib").glob(f"llvm-*/bin/{name}"), None):  # LLVM's own
            (tools / name).symlink_to(real)
        else:
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
    suite = folder / "suite"
    suite.mkdir(exist_ok=True)
    (suite / "repro.lit.mlir").write_text(test)
    (suite / "repro.mlir").write_text(PROGRAM)
    (suite / "lit.cfg.py").write_text(
        "import lit.formats\n"
        "config.name = 'x'\nconfig.suffixes = ['.lit.mlir']\n"
        "config.test_format = lit.formats.ShTest(execute_external=False)\n"
        f"config.environment['PATH'] = {f'{tools}:{os.defpath}'!r}\n"
    )
    runner = Path(sys.executable).with_name("lit")
    return subprocess.run([runner, "-v", suite], capture_output=True, text=True, timeout=60)


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


def test_checks_that_lit_cannot_express() -> None:
    assert (
        lit_test(ReproCheck(("mlir-reducer", "repro.mlir"), self_checking=True), PROGRAM, "x")
        is None
    )
    assert lit_test(ReproCheck(("a", "--x=a\nb", "repro.mlir"), 1), PROGRAM, "x") is None
    assert lit_test(ReproCheck(("a", "repro.mlir"), memory=1), PROGRAM, "x") is None
