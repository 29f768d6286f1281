"""Tab, in a real bash, zsh and fish."""

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


def offered(reducer: Reducer, *words: str) -> list[str]:
    """What bash is told to offer for the last word."""
    if BASH is None:
        pytest.skip("there is no bash")
    script = """
        compopt() { echo FILES; }
        eval "$(mlir-reducer completion bash)"
        complete -p mlir-reducer >/dev/null || exit 1
        COMP_WORDS=(mlir-reducer "$@")
        COMP_CWORD=$#
        _mlir_reducer_completion mlir-reducer
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        [BASH, "--norc", "-c", script, "bash", *words],
        env=reducer.environment,
        cwd=reducer.home,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


FILES = ["FILES", ""]


def test_commands_and_options(reducer: Reducer) -> None:
    assert offered(reducer, "red") == ["reduce"]
    assert offered(reducer, "buckets", "fo") == ["forget"]
    assert offered(reducer, "reduce", "--no-pass") == ["--no-pass-level"]
    assert offered(reducer, "reduce", "--signature", "s") == ["strict"]


def test_installed_versions(reducer: Reducer) -> None:
    assert offered(reducer, "reduce", "--iree", "") == ["newest", "3.13.0", "3.8.0"]
    assert offered(reducer, "toolchain", "remove", "3.8") == ["3.8.0"]
    assert offered(reducer, "triage", "--iree", "3.8.0,3.1") == ["3.8.0,3.13.0"]


@pytest.mark.parametrize(
    "words",
    [
        ("reduce", ""),
        ("reduce", "-o", "x"),
        ("reduce", "in.mlir", "--json", ""),
        ("explain", "--report", ""),
        ("page", "--journal", ""),
        ("reduce", "in.mlir", "--", "./"),
        ("reduce", "in.mlir", "--", "iree-compile", "--iree"),
    ],
)
def test_file_names(reducer: Reducer, words: tuple[str, ...]) -> None:
    assert offered(reducer, *words) == FILES


def test_the_command_after_the_dashes(reducer: Reducer) -> None:
    assert offered(reducer, "check", "in.mlir", "--", "iree-c") == ["iree-compile"]


@pytest.mark.parametrize(("shell", "offers"), [("fish", offered_by_fish), ("zsh", offered_by_zsh)])
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("red", ["reduce"]),
        ("reduce --signature s", ["strict"]),
        ("reduce --iree ", ["3.13.0", "3.8.0", "newest"]),
        ("triage --iree 3.8.0,3.1", ["3.8.0,3.13.0"]),
        ("reduce in", ["in.mlir"]),
        ("check in.mlir -- iree-c", ["iree-compile"]),
        ("check in.mlir -- iree-compile in.", ["in.mlir"]),
    ],
)
def test_other_shells_offer_the_same(
    reducer: Reducer, shell: str, offers: Offers, line: str, offered: list[str]
) -> None:
    for name in ("in.mlir", "other.mlir"):
        (reducer.home / name).touch()
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
