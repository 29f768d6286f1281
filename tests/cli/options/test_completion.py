"""Tab completion: what is offered, and how real bash, zsh and fish shells show it.

The answers are those of one function for all shells. A shell adds its quotes and its own files.
"""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli import main
from tests.cli.options.shells import offered_by_fish, offered_by_zsh
from tests.support.fake_compilers import Reducer

Offers = Callable[[str, str, Path, Mapping[str, str]], list[str]]
BASH = shutil.which("bash")
FILES = ["FILES"]


@pytest.fixture
def reducer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reducer:
    """Installed as in a virtual environment, with inputs and what is written next to them."""
    made = Reducer(tmp_path)
    for version in ("3.8.0", "3.13.0"):
        (tmp_path / f"cache/toolchains/iree-base-compiler-{version}").mkdir(parents=True)
    program = tmp_path / "bin" / "mlir-reducer"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m reducer "$@"\n')
    program.chmod(0o755)
    made.environment["PATH"] = f"{program.parent}:{made.environment['PATH']}"
    for name in ("in.mlir", "in.mlirbc", "in.zip", "in.journal", ".in.mlir", "in.log"):
        (tmp_path / name).touch()
    for name in ("in.reduced", "in.report", "inner"):
        (tmp_path / name).mkdir()
    (tmp_path / "inner" / "deep.mlir").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLIR_REDUCER_CACHE", made.environment["MLIR_REDUCER_CACHE"])
    return made


def script_for(shell: str) -> str:
    return CliRunner().invoke(main, ["completion", shell], prog_name="mlir-reducer").output


@pytest.mark.usefixtures("reducer")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        (["red"], ["plain,reduce"]),
        (["--conf"], ["plain,--config"]),
        (["--config", "in", "red"], ["plain,reduce"]),
        (["buckets", "fo"], ["plain,forget"]),
        (["reduce", "--no-pass"], ["plain,--no-pass-level"]),
        (["reduce", "--max"], ["plain,--max-calls", "plain,--max-seconds"]),
        (["reduce", "--signature", "s"], ["plain,strict"]),
        (["reduce", "--signature", "e"], ["plain,exit=1"]),
        (["reduce", "--iree", ""], ["plain,newest", "plain,3.13.0", "plain,3.8.0"]),
        (["toolchain", "remove", "3.8"], ["plain,3.8.0"]),
        (["triage", "--iree", "3.8.0,3.1"], ["plain,3.8.0,3.13.0"]),
        (["reduce", "-o", "x"], ["file,x"]),
        (["reduce", "in.mlir", "--json", ""], ["file,"]),
        (["reduce", "--keep", "flags,le"], ["plain,flags,level"]),
        (["page", "--journal", ""], ["file,"]),
        (
            ["reduce", "in"],
            [f"path,{name}" for name in ("in.log", "in.mlir", "in.mlirbc", "inner/")],
        ),
        (["check", "inner/"], ["path,inner/deep.mlir"]),
        (["page", "gone/"], []),
        (["report", "z"], []),
        (["reduce", "in.mlir", "--", "./"], ["file,./"]),
        (["check", "in.mlir", "--", "iree-c"], ["plain,iree-compile"]),
        (["reduce", "in.mlir", "--", "iree-compile", "--iree"], ["file,--iree"]),
    ],
)
def test_what_is_offered(line: list[str], offered: list[str]) -> None:
    asked = {
        "_MLIR_REDUCER_COMPLETE": "bash_complete",
        "COMP_WORDS": shlex.join(["mlir-reducer", *line]),
        "COMP_CWORD": str(len(line)),
    }
    done = CliRunner().invoke(main, [], prog_name="mlir-reducer", env=asked)
    assert done.stdout.split() == offered


def offered_by_bash(reducer: Reducer, *lines: tuple[str, ...]) -> list[list[str]]:
    """The completions that one bash offers for the last word of each line."""
    if BASH is None:
        pytest.skip("there is no bash")
    asked = "".join(f"ask {shlex.join(line)}\n" for line in lines)
    script = f"""
        compopt() {{ echo FILES; }}
        ask() {{
            COMP_WORDS=(mlir-reducer "$@")
            COMP_CWORD=$#
            COMPREPLY=()
            _mlir_reducer_completion mlir-reducer
            printf '%s\\n' "${{COMPREPLY[@]}}" =====
        }}
        {script_for("bash")}
        complete -p mlir-reducer >/dev/null || exit 1
        {asked}
    """
    done = subprocess.run(
        [BASH, "--norc", "-c", script],
        env=reducer.environment,
        cwd=reducer.home,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [answer.split("\n")[:-1] for answer in done.stdout.split("=====\n")[:-1]]


def test_bash(reducer: Reducer) -> None:
    (reducer.home / "in b.mlir").touch()
    found = offered_by_bash(
        reducer, ("triage", "--iree", "3.8.0,3.1"), ("reduce", "-o", "x"), ("reduce", "in")
    )
    names = ["in b.mlir", "in.log", "in.mlir", "in.mlirbc", "inner"]
    assert [sorted(answer) for answer in found] == [["3.8.0,3.13.0"], FILES, FILES * 5 + names]


@pytest.mark.machine
@pytest.mark.parametrize(("shell", "offers"), [("fish", offered_by_fish), ("zsh", offered_by_zsh)])
def test_other_shells_offer_the_same(reducer: Reducer, shell: str, offers: Offers) -> None:
    script = script_for(shell)
    for line, offered in [
        ("triage --iree 3.8.0,3.1", ["3.8.0,3.13.0"]),
        ("reduce in", ["in.log", "in.mlir", "in.mlirbc", "inner/"]),
        ("check in.mlir -- iree-compile in.l", ["in.log"]),
    ]:
        found = offers(script, f"mlir-reducer {line}", reducer.home, reducer.environment)
        assert found == offered, line


@pytest.mark.machine
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_sound(shell: str) -> None:
    script = script_for(shell)
    assert "_MLIR_REDUCER_COMPLETE" in script
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell}")
    checked = subprocess.run([program, "-n"], input=script, text=True, capture_output=True)
    assert (checked.returncode, checked.stderr) == (0, "")
