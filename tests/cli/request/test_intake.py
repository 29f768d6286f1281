"""Reducing what a crash left behind, with the real mlir-opt."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli.options.check import check
from reducer.cli.options.reduce import reduce
from reducer.errors import UsageError
from tests.support.fake_compilers import write_script
from tests.support.fake_releases import BAD as BAD_OP
from tests.support.opt_tools import find_opt

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


def issue(folder: Path, command: str, program: str) -> Path:
    path = folder / "issue.md"
    path.write_text(f"```\n$ {command}\n```\n\n```mlir\n{program}\n```\n")
    return path


SYSTEM = """\
llvm.mlir.global internal constant @line("id > ran-by-jit.txt\\00")
llvm.func @system(!llvm.ptr) -> i32
func.func @main() -> i32 {
  %p = llvm.mlir.addressof @line : !llvm.ptr
  %r = llvm.call @system(%p) : (!llvm.ptr) -> i32
  return %r : i32
}"""
RUN = "mlir-opt-22 --canonicalize --convert-to-llvm m.mlir | mlir-runner -e main"


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
