"""Reducing what a crash left behind, with the real mlir-opt."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reducer.cli.options.check import check
from reducer.cli.options.reduce import reduce
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


def issue(folder: Path, command: str, program: str) -> Path:
    path = folder / "issue.md"
    path.write_text(f"```\n$ {command}\n```\n\n```mlir\n{program}\n```\n")
    return path


SCHEDULE = """\
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %g = transform.apply_registered_pass "snapshot-op-locations"
      with options = {"filename" = "notes.txt"} to %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}"""
SYSTEM = """\
llvm.mlir.global internal constant @line("id > ran-by-jit.txt\\00")
llvm.func @system(!llvm.ptr) -> i32
func.func @main() -> i32 {
  %p = llvm.mlir.addressof @line : !llvm.ptr
  %r = llvm.call @system(%p) : (!llvm.ptr) -> i32
  return %r : i32
}"""
RUN = "mlir-opt-22 --canonicalize --convert-to-llvm m.mlir | mlir-runner -e main"


def test_a_schedule_of_an_issue_runs_no_pass_that_names_a_file(tmp_path: Path, opt: Path) -> None:
    text = issue(tmp_path, f"{opt.name} --transform-interpreter m.mlir", SCHEDULE)
    with pytest.raises(UsageError, match=r"must not run: filename=notes\.txt of snapshot-op-loc"):
        run(text, "--yes")


def test_a_program_of_an_issue_does_not_call_out_of_itself(tmp_path: Path, opt: Path) -> None:
    done = CliRunner().invoke(check, [str(issue(tmp_path, RUN, SYSTEM)), "--yes"])
    assert "the program found there will be executed if no command fails" in done.stderr
    assert "it comes from a file and uses @system" in done.stdout


def test_only_a_person_has_a_program_executed_that_nothing_confines(
    tmp_path: Path, opt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("reducer.cli.request.intake.landlock", "oracles.run.confinement.landlock"):
        monkeypatch.setattr(name, lambda: 0)
    text = issue(tmp_path, RUN, SYSTEM)
    with pytest.raises(UsageError, match="not executed: this kernel has no Landlock"):
        run(text, "--yes")
    with pytest.raises(UsageError, match="not executed: this kernel has no Landlock"):
        run(text, "--yes", "--wrong-results")
    monkeypatch.setattr("reducer.cli.request.intake.is_asked", lambda: True)
    for answer, said in (("y\n", "uses @system"), ("n\n", "not executed")):
        done = CliRunner().invoke(check, [str(text), "--yes"], input=answer)
        assert "Execute it unconfined?" in done.output
        assert said in done.output + str(done.exception)


def test_what_comes_from_a_file_stays_confined_in_later_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_script(tmp_path / "x-opt", BAD_OP.replace("has x.bad", 'grep -q x.bad "$1"'))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.chdir(tmp_path)
    run(issue(tmp_path, "x-opt m.mlir", '"x.bad"() : () -> ()'), "--yes")
    confined: list[object] = []
    monkeypatch.setattr("reducer.cli.request.oracle_options.confine", confined.append)
    CliRunner().invoke(check, [str(tmp_path / "issue.reduced.mlir")])
    assert confined


def test_nothing_runs_before_the_user_agrees(tmp_path: Path, opt: Path) -> None:
    log = tmp_path / "crash.log"
    log.write_text(f"0.\tProgram arguments: {opt} --expand-strided-metadata x.mlir\n{BAD}")
    with pytest.raises(UsageError, match="pass --yes to allow it"):
        run(log)
    assert [path.name for path in tmp_path.iterdir()] == ["crash.log"]


def test_a_compiler_that_is_not_installed(tmp_path: Path) -> None:
    log = tmp_path / "crash.log"
    log.write_text(f"$ no-such-opt --cse x.mlir\n{BAD}")
    with pytest.raises(CommandNotFound, match="the input needs no-such-opt, which is not on PATH"):
        run(log, "--yes")


def test_a_release_runs_what_a_result_says_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line of a result is a command. Its program need not be on PATH."""
    releases = Releases(tmp_path, {"3.1.0": Release(BAD_OP), "3.2.0": Release("")})
    for name, value in releases.environment.items():
        monkeypatch.setenv(name, value)
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
    assert (
        "result 0, element 0: 6, expected 5 (wrong values), in @f()"
        in found["diagnostics"][0]["message"]
    )
    assert {"--wrong-results", "--entry-point=f", wrong} <= set(found["command"])


def test_check_shows_what_would_be_preserved_of_an_issue(tmp_path: Path, opt: Path) -> None:
    """Of the two functions in the file, only the second fails, and its part is what was run."""
    issue = tmp_path / "issue.md"
    issue.write_text(
        f"This crashes:\n```\n{opt.name} a.mlir -split-input-file -expand-strided-metadata\n```\n"
        f"```mlir\n{HEALTHY}// -----\n{BAD}```\n"
    )
    with pytest.raises(UsageError, match="pass --yes to allow it"):
        CliRunner().invoke(check, [str(issue)], catch_exceptions=False, standalone_mode=False)
    found = checked(issue)
    assert found["interesting"] and found["kind"] == "crash"
    assert found["command"][1:] == ["-expand-strided-metadata", "input.mlir", "-o", "/dev/null"]


def victims(folder: Path) -> dict[str, str]:
    """What is in a folder that nobody may touch, beside the file that was read."""
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(
    "flags",
    [
        "--mlir-print-ir-tree-dir={0}/tree --mlir-print-ir-after-all --log-actions-to={0}/log",
        "--snapshot-op-locations=filename={0}/precious --profile-actions-to precious",
        "--pass-pipeline='builtin.module(snapshot-op-locations{{filename=precious}})'",
        "--mlir-generate-reproducer=precious -o {0}/precious > precious",
    ],
)
def test_a_file_has_nothing_written(
    flags: str, tmp_path: Path, opt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    issue = tmp_path / "issue.md"
    command = f"{opt.name} {flags.format(tmp_path)} --expand-strided-metadata x.mlir"
    issue.write_text(f"```\n{command}\n```\n```mlir\n{BAD}```\n")
    (tmp_path / "precious").write_text("precious")
    before = victims(tmp_path)
    done = CliRunner().invoke(check, [str(issue), "--yes"], catch_exceptions=False)
    assert victims(tmp_path) == before and not (tmp_path / "tree").exists()
    assert "left out: " in done.stderr


@pytest.mark.parametrize("given", ["", "--run-reproducer"])
def test_the_pipeline_of_a_reproducer_writes_nothing(
    given: str, tmp_path: Path, opt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pipeline = f"builtin.module(snapshot-op-locations{{filename={tmp_path}/precious}},cse)"
    section = f'{{-#\n external_resources: {{\n mlir_reproducer: {{\n pipeline: "{pipeline}",\n'
    reproducer = tmp_path / "crash.mlir"
    reproducer.write_text(
        f"module {{\n}}\n\n{section} disable_threading: true,\n verify_each: true\n }}\n }}\n#-}}\n"
    )
    (tmp_path / "precious").write_text("precious")
    before = victims(tmp_path)
    words = [str(reproducer), *([] if given else ["--yes"]), "--", opt.name, *given.split()]
    done = CliRunner().invoke(check, words)
    assert victims(tmp_path) == before
    assert (
        "precious of snapshot-op-locations (it may name a file)" in f"{done.stderr}{done.exception}"
    )


def test_a_command_that_would_run_other_code_is_refused(tmp_path: Path, opt: Path) -> None:
    issue = tmp_path / "issue.md"
    issue.write_text(
        f"```\n{opt.name} --load-pass-plugin=./x.so --cse x.mlir\n```\n```mlir\n{BAD}```\n"
    )
    with pytest.raises(
        UsageError, match=r"with --load-pass-plugin=./x.so \(it names other code to run\)"
    ):
        checked(issue)


@pytest.mark.parametrize("given", [(), ("--iree", "3.2.0")])
def test_the_release_that_a_file_names(
    given: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Release(BAD_OP, flags=[("--iree-hip-target", "The target.")])
    new = Release(BAD_OP, flags=[("--iree-rocm-target", "The target.")])
    releases = Releases(tmp_path, {"3.1.0": old, "3.2.0": new})
    for name, value in releases.environment.items():
        monkeypatch.setenv(name, value)
    issue = tmp_path / "issue.md"
    program = '"x.bad"() : () -> ()\n'
    command = "iree-compile --iree-hip-target=gfx942 x.mlir"
    for release in ("3.1.0", "3.0.0"):
        issue.write_text(f"```\n{command}\n```\n```mlir\n{program}```\nIREE {release}\n")
        done = CliRunner().invoke(check, [str(issue), "--yes", *given])
        if release == "3.1.0" and not given:
            assert "issue.md says IREE 3.1.0, so that release is run" in done.stderr
            assert done.exit_code == 0
        else:
            told = "--iree-hip-target is known to the installed 3.1.0; 3.2.0 calls it --iree-"
            assert f"{told}rocm-target" in str(done.exception)
            assert ("issue.md says IREE 3.0.0: pass --iree 3.0.0" in done.stderr) == (
                not given and release == "3.0.0"
            )


@pytest.mark.parametrize(
    ("trace", "answer"),
    [
        ("UNREACHABLE executed at x.cpp:1!", "Optimized build."),
        ("x: Assertion `a' failed.", "DEBUG build."),
        ("x: Assertion `a' failed.", "Optimized build with assertions."),
        ("UNREACHABLE executed at x.cpp:1!", "x"),
    ],
)
def test_a_failure_that_needs_assertions(
    trace: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_script(tmp_path / "t-opt", f"[ $1 != --version ] || echo '  {answer}'\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    issue = tmp_path / "issue.md"
    issue.write_text(f"```\nt-opt x.mlir\n```\n```mlir\n{BAD}```\n{trace}\n")
    told = "the failure in issue.md needs assertions, which this t-opt lacks"
    for command in (reduce, check):
        done = CliRunner().invoke(command, [str(issue), "--yes"])
        assert (told in f"{done.stderr}{done.exception}") == answer.endswith(" build.")
