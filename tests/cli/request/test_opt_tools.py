"""`--opt`, and the tool that is found without it."""

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from reducer.cli.app import main
from reducer.cli.request import opt_tools
from reducer.cli.request.opt_tools import named_opt, opt_beside, some_opt, text_of_script
from tests.support.fake_compilers import waiting_for
from tests.support.opt_tools import MLIR_OPT, find_opt

OPS = "\n".join(
    f'    %{n} = "comb.{"divs" if n == 25 else "add"}"(%{max(n - 3, 0)}, %{max(n - 1, 0)}) '
    ": (i8, i8) -> i8"
    for n in range(1, 60)
)
HARDWARE = f"""\
"builtin.module"() ({{
  "hw.module"() ({{
  ^bb0(%0: i8):
{OPS}
    "hw.output"(%59) : (i8) -> ()
  }}) {{module_type = !hw.modty<input a : i8, output b : i8>, sym_name = "top"}} : () -> ()
}}) : () -> ()
"""
SCRIPT = '#!/bin/sh\ngrep -q \'%.* = "comb.divs"\' "$1"\n'


@pytest.mark.parametrize("given", [True, False])
def test_a_script_gets_a_tool_that_can_print_the_input(
    given: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not cut as text: the one op is left with stubs for its operands, and its module shrinks."""
    source, script, result = (tmp_path / name for name in ("in.mlir", "t.sh", "out.mlir"))
    source.write_text(HARDWARE)
    script.write_text(SCRIPT)
    script.chmod(0o755)
    tool = find_opt()
    words = ["reduce", str(source), "-o", str(result), "--test", str(script), "--no-report", "-j1"]
    done = CliRunner().invoke(main, [*words, *(["--opt", str(tool)] if given else [])])
    assert done.exit_code == 0, done.output
    assert result.read_text().count('"comb.') == 1
    assert "^bb0(%a: i" in result.read_text()


def test_a_release_may_be_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = find_opt()
    monkeypatch.setenv("PATH", str(tool.parent))
    found = some_opt("func.func @f() { return }")
    assert found is not None
    assert found.name in ("iree-opt", "mlir-opt", MLIR_OPT)


def test_the_search_takes_a_small_part_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine, a tool that knows none of the dialects may take a minute to say so."""
    for release in (20, 21, 22):
        tool = tmp_path / f"mlir-opt-{release}"
        tool.write_text(f"#!/bin/sh\necho {release} >> {tmp_path}/log\nexec /bin/sleep 600\n")
        tool.chmod(0o755)
    monkeypatch.setattr(opt_tools, "find", lambda version: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(opt_tools, "opt_tools", lambda: ["mlir-opt"])
    assert some_opt(HARDWARE, 3.0) is None
    assert (tmp_path / "log").read_text() == "22\n"


def test_the_tool_that_a_script_names_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = find_opt()
    named = tmp_path / "named-opt"
    named.symlink_to(tool)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), str(tool.parent)]))
    pipe = "named-opt --cse {} | mlir-translate --mlir-to-llvmir"
    assert named_opt(f"bash\n-c\n{pipe}", HARDWARE) == named
    assert named_opt("bash\n-c\nfake-opt --my-opt=1 --other-opt {}", HARDWARE) is None
    assert named_opt("bash\n-c\nfake-opt {} | mlir-opt-22", HARDWARE) == tool
    assert named_opt(pipe, "no program") is None


def test_a_tool_beside_the_compiler_needs_no_part_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with `tco` and `fir-opt`, also through a link from a folder with tools of other makes."""
    release, linked = tmp_path / "release", tmp_path / "bin"
    release.mkdir()
    linked.mkdir()
    compiler = release / "tco"
    for path in (compiler, release / "a-opt", linked / "b-opt"):
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)
    (linked / "tco-22").symlink_to(compiler)
    (release / "fir-opt").symlink_to(find_opt())
    (release / "fir-optional").symlink_to(find_opt())
    assert opt_beside(compiler, HARDWARE) == release / "fir-opt"
    assert opt_beside(linked / "tco-22", HARDWARE) == release / "fir-opt"
    assert opt_beside(compiler, "no program") is None
    assert opt_beside(linked / "b-opt", HARDWARE) is None


def test_a_stranger_is_no_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that explains its options, nor one in a folder with programs of all sorts."""
    compiler = tmp_path / "tco"
    compiler.touch()
    for name, where in (("a-opt", ""), ("b-opt", "> out.mlir")):
        usage = tmp_path / name
        usage.write_text(f'#!/bin/sh\necho "usage: {name} builtin.module" {where}\n')
        usage.chmod(0o755)
    assert opt_beside(compiler, HARDWARE) is None
    (tmp_path / "fir-opt").symlink_to(find_opt())
    assert opt_beside(compiler, "") is None
    assert opt_beside(compiler, HARDWARE) == tmp_path / "fir-opt"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert opt_beside(compiler, HARDWARE) is None


def test_a_tool_that_takes_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opt_tools, "_PATIENCE", 0.01)
    compiler, tool, told = (tmp_path / name for name in ("tco", "slow-opt", "told"))
    compiler.touch()
    tool.write_text(f"#!/bin/sh\n{waiting_for(told)}")
    tool.chmod(0o755)
    echo = click.echo

    def tells(text: str, *, err: bool) -> None:
        echo(text, err=err)
        told.touch()

    monkeypatch.setattr(click, "echo", tells)
    assert opt_beside(compiler, HARDWARE) is None
    said = capfd.readouterr().err.splitlines()
    assert said == [
        "looking for a tool that prints the input: a run of slow-opt may take 10.0 s; "
        "MLIR_REDUCER_OPT names the right one"
    ]


def test_a_compiler_is_read_for_by_the_tool_beside_it(tmp_path: Path) -> None:
    source, compiler, tool = (tmp_path / name for name in ("in.mlir", "tco", "fir-opt"))
    source.write_text(HARDWARE)
    compiler.write_text(f"#!/bin/sh\n! {SCRIPT.splitlines()[1]}\n")
    tool.write_text(f'#!/bin/sh\ntouch {tmp_path}/used\nexec {find_opt()} "$@"\n')
    for path in (compiler, tool):
        path.chmod(0o755)
    words = ["reduce", str(source), "-o", str(tmp_path / "out.mlir"), "--no-report", "-j1"]
    done = CliRunner().invoke(main, [*words, "--", str(compiler)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "used").exists()


def test_a_command_that_is_a_script_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, program = tmp_path / "run", tmp_path / "binary"
    script.write_text("#!/bin/sh\nexec toy-opt --cse $1\n")
    program.write_bytes(b"\x7fELF toy-opt")
    for path in (script, program):
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "toy-opt --cse" in text_of_script("run")
    assert "toy-opt --cse" in text_of_script(str(script))
    assert text_of_script("binary") == text_of_script("missing") == ""


def test_a_pass_that_crashes_on_an_empty_module_needs_no_input(tmp_path: Path) -> None:
    source, tool = tmp_path / "in.mlir", str(find_opt())
    source.write_text("func.func @f() {\n  return\n}\n")
    words = ["reduce", str(source), "-o", str(tmp_path / "out.mlir"), "--"]
    done = CliRunner().invoke(main, [*words, tool, "--test-pass-crash"])
    assert done.exit_code == 1
    assert "to show it:" in done.output
    assert "--test-pass-crash /dev/null" in done.output
    for command in ("reduce", "check"):
        told = CliRunner().invoke(main, [command, str(source), "--", tool, "--test-pass-crash"])
        assert "so the compiler crashes on any input" in told.output
    misspelled = CliRunner().invoke(main, [*words, tool, "--test-pass-crahs"])
    assert "an empty module fails the same way" in misspelled.output
    assert "to show it:" not in misspelled.output
