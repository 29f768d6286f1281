"""Tab completion in real bash, zsh and fish shells."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli import main
from tests.support.fake_compilers import Reducer
from tests.support.shells import offered_by_fish, offered_by_zsh

Offers = Callable[[str, str, Path, Mapping[str, str]], list[str]]
Line = tuple[str, ...]
BASH = shutil.which("bash")


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    made = Reducer(tmp_path)
    for version in ("3.8.0", "3.13.0"):
        (tmp_path / f"cache/toolchains/iree-base-compiler-{version}").mkdir(parents=True)
    program = tmp_path / "bin" / "mlir-reducer"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m reducer "$@"\n')
    program.chmod(0o755)
    made.environment["PATH"] = f"{program.parent}:{made.environment['PATH']}"
    return made


def offered(reducer: Reducer, *lines: Line) -> list[list[str]]:
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
        eval "$(mlir-reducer completion bash)"
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
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return [answer.split("\n")[:-1] for answer in done.stdout.split("=====\n")[:-1]]


FILES = ["FILES"]


def test_commands_and_options(reducer: Reducer) -> None:
    lines = ("red",), ("buckets", "fo"), ("reduce", "--no-pass"), ("reduce", "--signature", "s")
    found = [["reduce"], ["forget"], ["--no-pass-level"], ["strict"]]
    assert offered(reducer, *lines) == found


def test_installed_versions(reducer: Reducer) -> None:
    lines = (
        ("reduce", "--iree", ""),
        ("toolchain", "remove", "3.8"),
        ("triage", "--iree", "3.8.0,3.1"),
    )
    found = [["newest", "3.13.0", "3.8.0"], ["3.8.0"], ["3.8.0,3.13.0"]]
    assert offered(reducer, *lines) == found


def test_file_names(reducer: Reducer) -> None:
    lines: list[Line] = [
        ("reduce", "-o", "x"),
        ("reduce", "in.mlir", "--json", ""),
        ("explain", "--record", ""),
        ("page", "--journal", ""),
        ("reduce", "in.mlir", "--", "./"),
        ("reduce", "in.mlir", "--", "iree-compile", "--iree"),
    ]
    assert dict(zip(lines, offered(reducer, *lines), strict=True)) == dict.fromkeys(lines, FILES)


def put_files(home: Path) -> None:
    """Inputs, and what this program writes next to them."""
    for name in ("in.mlir", "in.mlirbc", "in.zip", "in.journal", ".in.mlir", "in.log"):
        (home / name).touch()
    for name in ("in.reduced", "in.report", "inner"):
        (home / name).mkdir()
    (home / "inner" / "deep.mlir").touch()


def test_inputs_are_offered_but_not_what_we_have_written(reducer: Reducer) -> None:
    put_files(reducer.home)
    (reducer.home / "in b.mlir").touch()
    lines: list[Line] = [("reduce", "in"), ("check", "inner/"), ("page", "gone/"), ("report", "z")]
    names = ["FILES"] * 5 + ["in b.mlir", "in.log", "in.mlir", "in.mlirbc", "inner"]
    found = [sorted(answer) for answer in offered(reducer, *lines)]
    assert found == [names, ["FILES", "inner/deep.mlir"], [], []]


def test_the_command_after_the_dashes(reducer: Reducer) -> None:
    assert offered(reducer, ("check", "in.mlir", "--", "iree-c")) == [["iree-compile"]]


@pytest.mark.parametrize(("shell", "offers"), [("fish", offered_by_fish), ("zsh", offered_by_zsh)])
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("red", ["reduce"]),
        ("reduce --signature s", ["strict"]),
        ("reduce --iree ", ["3.13.0", "3.8.0", "newest"]),
        ("triage --iree 3.8.0,3.1", ["3.8.0,3.13.0"]),
        ("reduce in", ["in.log", "in.mlir", "in.mlirbc", "inner/"]),
        ("reduce inner/", ["inner/deep.mlir"]),
        ("check in.mlir -- iree-c", ["iree-compile"]),
        ("check in.mlir -- iree-compile in.l", ["in.log"]),
    ],
)
def test_other_shells_offer_the_same(
    reducer: Reducer, shell: str, offers: Offers, line: str, offered: list[str]
) -> None:
    put_files(reducer.home)
    script = CliRunner().invoke(main, ["completion", shell], prog_name="mlir-reducer").output
    found = offers(script, f"mlir-reducer {line}", reducer.home, reducer.environment)
    assert found == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_sound(reducer: Reducer, shell: str) -> None:
    done = reducer("completion", shell)
    assert done.returncode == 0 and "_MLIR_REDUCER_COMPLETE" in done.stdout
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell}")
    checked = subprocess.run([program, "-n"], input=done.stdout, text=True, capture_output=True)
    assert (checked.returncode, checked.stderr) == (0, "")
