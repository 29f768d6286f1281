"""`mlir-reducer check --bisect`, alone and under a real `git bisect run`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import write_script

FIND_INPUT = 'for word; do case "$word" in *.mlir) input=$word ;; esac; done\n'
FAIL = FIND_INPUT + 'has x.bad || exit 0\necho "$input:1:1: error: failed to legalize operation '
GOOD = "exit 0\n"
BAD = FAIL + "'x.bad'\" >&2\nexit 1\n"
OTHER = FAIL + "'x.other'\" >&2\nexit 1\n"
BOTH = (
    FAIL + "'x.alpha'\" >&2\necho 'error: failed to run translation of source executable' >&2\n"
    "echo \"$input:1:1: error: failed to legalize operation 'x.bad'\" >&2\nexit 1\n"
)
BROKEN = "echo 'error: failed to legalize operation x' >&2\nexit 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an input and a failing compiler, and what `check` says of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "in.mlir").write_text('"x.bad"() : () -> ()\n')
    write_script(tmp_path / "compiler", BAD)
    assert check("--json", "bad.json", "--", "./compiler").exit_code == 0
    return tmp_path


def check(*words: str) -> Result:
    return CliRunner().invoke(main, ["check", "in.mlir", *words])


def test_under_git_bisect_run(folder: Path) -> None:
    """Commits of a repository that "build" a compiler; some do not build, one fails otherwise."""
    repository = folder / "repository"
    repository.mkdir()
    git(repository, "init", "-q")
    bodies = [GOOD, GOOD, None, OTHER, BAD, BAD]
    for number, body in enumerate(bodies):
        compiler = repository / "iree-compile"
        compiler.unlink(missing_ok=True)
        if body is not None:
            write_script(compiler, body)
        (repository / "number").write_text(str(number))
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", f"change {number}")
    git(repository, "bisect", "start", "HEAD", f"HEAD~{len(bodies) - 1}")
    command = [sys.executable, "-m", "reducer", "check", f"--bisect={folder / 'bad.json'}"]
    command += [str(folder / "in.mlir"), "--", "./iree-compile"]
    output = git(repository, "bisect", "run", *command)
    assert "only 'skip'ped commits left" in output  # changes 2 and 3 may have the bug
    log = git(repository, "bisect", "log").splitlines()
    suspects = {line.split("] ")[1] for line in log if "possible first bad" in line}
    assert suspects == {"change 2", "change 3", "change 4"}
    assert any(line.startswith("# skip:") and line.endswith("change 3") for line in log)


_IDENTITY = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")


def git(folder: Path, *words: str) -> str:
    """Run git with no configuration of the machine; returns what it prints."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        **{f"GIT_{one}": "x@y.z" for one in _IDENTITY},
    }
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode in (0, 2), done.stdout + done.stderr
    return done.stdout


def test_in_a_wrapper_that_knows_only_good_and_bad(folder: Path) -> None:
    """IREE's bisect_packages.py copies a test script into one that exits with 0 or 1.

    With `exec`, what it adds behind the script is never reached.
    """
    packages = folder / "packages"
    packages.mkdir()
    write_script(packages / "iree-compile", OTHER)
    asking = f"exec '{sys.executable}' -m reducer check --bisect=bad.json in.mlir"
    lines = (
        "set -xeuo pipefail",
        f'PATH="{packages}:$PATH"',
        "set +e",
        f"{asking} -- iree-compile",
        "RET_VALUE=$?",
        "if [ $RET_VALUE -ne 0 ]; then",
        "    exit 1",
        "fi",
    )
    wrapper = folder / "bisect_run_script.sh"
    wrapper.write_text("#!/bin/bash\n" + "\n".join(lines) + "\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(["bash", wrapper], env=environment, capture_output=True, text=True)
    assert done.returncode == 125, done.stderr


def test_flags_are_spelled_as_the_build_spells_them(folder: Path) -> None:
    """A flag may be renamed between two commits."""
    old = (
        'case "$*" in *--help-hidden*) echo "  --iree-hip-target=<string> - Chip."; exit 0 ;;\n'
        '*--iree-rocm-*) echo "Unknown command line argument" >&2; exit 1 ;; esac\n'
    )
    write_script(folder / "iree-compile", old + BAD)
    command = ("--", "./iree-compile", "--iree-rocm-target=gfx942")
    done = check("--bisect=bad.json", *command)
    assert done.exit_code == 1, done.output
    assert "--iree-hip-target=gfx942" in done.stdout
