"""Reducing what a crash left behind, with the real mlir-opt."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reducer.cli.commands.check import check
from reducer.cli.commands.reduce import reduce
from reducer.errors import CommandNotFound, UsageError
from tests.support.fake_compilers import write_script
from tests.support.fake_releases import BAD as BAD_OP
from tests.support.fake_releases import Release, Releases
from tests.support.opt_tools import find_opt

HEALTHY = "func.func @g() {\n  return\n}\n"
BAD = """\
func.func @f(%m: memref<?xf32>, %n: index) -> memref<?x?xf32> {
  %0 = memref.expand_shape %m [[0, 1]] output_shape [%n, %n] : memref<?xf32> into memref<?x?xf32>
  return %0 : memref<?x?xf32>
}
"""
PLAIN = ("--no-report", "--no-pass-level", "--max-calls=30", "-q")


def run(*words: object) -> None:
    CliRunner().invoke(
        reduce, [*map(str, words), *PLAIN], catch_exceptions=False, standalone_mode=False
    )


def checked(path: Path, *options: str) -> dict[str, Any]:
    """What `check` says of a file, as JSON."""
    answer = path.with_name("answer.json")
    words = [str(path), "--yes", "--json", str(answer), *options]
    CliRunner().invoke(check, words, catch_exceptions=False, standalone_mode=False)
    found: dict[str, Any] = json.loads(answer.read_text())
    return found


def result(path: Path) -> str:
    return path.with_name(f"{path.name.removesuffix('.mlir')}.reduced.mlir").read_text()


@pytest.fixture
def opt() -> Path:
    return find_opt()


def test_a_crash_reproducer_for_which_a_tool_is_found(tmp_path: Path, opt: Path) -> None:
    source, crash = tmp_path / "a.mlir", tmp_path / "crash.mlir"
    source.write_text(BAD)
    flags = ["--cse", "--expand-strided-metadata", f"--mlir-pass-pipeline-crash-reproducer={crash}"]
    subprocess.run([opt, *flags, source], capture_output=True, check=False)
    run(crash, "--yes")
    assert "'--pass-pipeline=builtin.module(expand-strided-metadata)' crash" in result(crash)
    assert "expand_shape" in result(crash)


def test_the_failing_part_of_a_lit_test(tmp_path: Path, opt: Path) -> None:
    test = tmp_path / "t.mlir"
    run_line = (
        f"// RUN: {opt.name} %s --split-input-file --expand-strided-metadata | FileCheck %s\n"
    )
    test.write_text(f"{run_line}{HEALTHY}\n// -----\n\n{BAD}\n// -----\n\n{HEALTHY}")
    run(test, "--yes")
    assert "split-input-file" not in result(test)
    assert "expand_shape" in result(test)


def test_which_part_is_taken_is_said(tmp_path: Path) -> None:
    fails = write_script(tmp_path / "x-opt", BAD_OP.replace("has x.bad", 'grep -q x.bad "$1"'))
    test = tmp_path / "t.mlir"
    test.write_text("// -----\n".join([HEALTHY, "x.bad 1\n", HEALTHY, "x.bad 2\n"]))
    words = [str(test), "--", str(fails), "{}", "--split-input-file"]
    done = CliRunner().invoke(check, words)
    assert "using part 2 of the 4 in the input, which fails; so does part 4" in done.stderr


def test_nothing_runs_before_the_user_agrees(tmp_path: Path, opt: Path) -> None:
    log = tmp_path / "crash.log"
    log.write_text(f"0.\tProgram arguments: {opt} --expand-strided-metadata x.mlir\n{BAD}")
    with pytest.raises(UsageError, match="run it with --yes"):
        run(log)
    assert [path.name for path in tmp_path.iterdir()] == ["crash.log"]


def test_a_compiler_that_is_not_installed(tmp_path: Path) -> None:
    log = tmp_path / "crash.log"
    log.write_text(f"$ no-such-opt --cse x.mlir\n{BAD}")
    with pytest.raises(CommandNotFound, match="the input is for no-such-opt, which is not on PATH"):
        run(log, "--yes")


def test_a_release_runs_what_a_result_says_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line of a result is a command. Its program need not be on PATH."""
    releases = Releases(tmp_path, {"3.1.0": Release(BAD_OP), "3.2.0": Release("")})
    for name, value in releases.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    result = tmp_path / "a.reduced.mlir"
    result.write_text('// iree-compile --iree-target=x a.reduced.mlir\n"x.bad"() : () -> ()\n')
    assert not checked(result)["interesting"]  # the newest one
    assert checked(result, "--iree", "3.1.0")["interesting"]


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    log = tmp_path / "crash.log"
    log.write_text("$ mlir-opt --cse x.mlir\n")
    with pytest.raises(UsageError, match=r"crash\.log lacks the file x\.mlir, which it names"):
        run(log, "--yes")


def test_an_issue_about_what_programs_print(tmp_path: Path, opt: Path) -> None:
    """Neither command fails, and both are run: so the results of that function are compared."""
    program = """\
func.func nested @f() {
  %v = arith.constant 5 : i32
  %w = arith.constant 6 : i32
  %m = memref.alloc() : memref<1xi32>
  affine.store %v, %m[0] : memref<1xi32>
  affine.for %i = 0 to 0 {
    affine.store %w, %m[0] : memref<1xi32>
  }
  %r = affine.load %m[0] : memref<1xi32>
  vector.print %r : i32
  return
}
"""
    lower = (
        "-lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm "
        "-convert-func-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts"
    )
    runner = "/b/mlir-runner -e f -entry-point-result=void"
    issue = tmp_path / "issue.md"
    wrong = "-affine-loop-invariant-code-motion"
    issue.write_text(
        f"```mlir\n{program}```\nRight:\n```\n/b/mlir-opt a.mlir {lower} | {runner}\n```\n"
        f"Wrong:\n```\n/b/mlir-opt a.mlir {wrong} | /b/mlir-opt {lower} | {runner}\n```\n"
    )
    found = checked(issue)
    assert "@f(): result 0, element 0: 6, expected 5" in found["diagnostics"][0]["message"]
    assert {"--wrong-results", "--function", wrong} <= set(found["command"])


def test_check_shows_what_would_be_preserved_of_an_issue(tmp_path: Path, opt: Path) -> None:
    """Of the two functions in the file, only the second fails, and its part is what was run."""
    issue = tmp_path / "issue.md"
    issue.write_text(
        f"This crashes:\n```\n{opt.name} a.mlir -split-input-file -expand-strided-metadata\n```\n"
        f"```mlir\n{HEALTHY}// -----\n{BAD}```\n"
    )
    with pytest.raises(UsageError, match="run it with --yes"):
        CliRunner().invoke(check, [str(issue)], catch_exceptions=False, standalone_mode=False)
    found = checked(issue)
    assert found["interesting"] and found["kind"] == "crash"
    assert found["command"][1:] == ["-expand-strided-metadata", "input.mlir", "-o", "/dev/null"]
